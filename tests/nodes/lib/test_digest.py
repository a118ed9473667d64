from nodes.lib.digest import digest, new_secret


def test_a_digest_is_the_sha_256_in_hex() -> None:
    assert digest("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


def test_a_secret_says_what_it_is_for_and_is_never_the_same() -> None:
    assert new_secret("fn").startswith("fn-")
    assert len(new_secret("fn")) == 43
    assert new_secret("fn") != new_secret("fn")

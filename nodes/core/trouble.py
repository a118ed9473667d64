"""Why a node can't be read, in an operator's words, with the remedy."""

from urllib.parse import urlsplit

OLLAMA_PORT = 11434
LOOPBACK = ("127.", "localhost", "::1")
OTHER_ENGINE = {"ollama": "openai", "openai": "ollama"}

WORDS = {
    "refused": "Nothing listens on {url}.",
    "unresolved": "The name {host} is not known to this machine's DNS. Enter an address, or a name that it knows.",
    "no_route": "There is no way to {host} from this machine: {detail}. Is it switched on and in this network?",
    "untrusted": "The certificate of {url} is not trusted: {detail}. Set SSL_CERT_FILE to its authority, or use http.",
    "disconnected": "{url} accepted the connection and closed it without an answer.",
    "timed_out": "{url} did not answer within {detail} s.",
    "redirected": "{url} redirects to {detail}. Redirects are not followed: enter the engine's own address.",
    "refuses_host": "{url} answered 403: the engine does not take this name. Enter its IP address instead of {host}.",
    "locked": "{url} answered {detail}: it wants a key, which is not supported. Start it without one.",
    "itself": "{url} is this router itself. Enter the address of the engine, or remove the node.",
    "status": "{url} answered {detail}, not as {kind} does. If it is another engine, add it with --engine {other}.",
    "shape": "{url} is not {kind}: {detail}. If it is another engine, add it with --engine {other}.",
    "oversized": "{url} sent more than {detail} MB where an inventory was asked for.",
}
KINDS = {"ollama": "an Ollama", "openai": "an OpenAI-compatible engine"}


def words(kind: str, url: str, engine: str, detail: str = "") -> str:
    """One or two sentences: the reason, then what to do."""
    host = urlsplit(url).hostname or url
    facts = {"url": url, "host": host, "detail": detail, "kind": KINDS[engine], "other": OTHER_ENGINE[engine]}
    sentence = WORDS[kind].format_map(facts)
    return f"{sentence} {opening(url, engine)}" if kind == "refused" else sentence


def opening(url: str, engine: str) -> str:
    """The exact commands that let the router in, for an engine that may be bound to loopback only."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    if host.startswith(LOOPBACK) or host.endswith(".localhost"):
        return START[engine]
    port = parts.port or OLLAMA_PORT
    address = "0.0.0.0" if port == OLLAMA_PORT else f"0.0.0.0:{port}"
    return OPEN[engine].format(address=address)


START = {
    "ollama": "Start the engine there: `ollama serve`.",
    "openai": "Start the engine there, on that port.",
}
OPEN = {
    "ollama": (
        "If Ollama runs there, it listens on loopback only. Open it on that machine. By hand: "
        "`OLLAMA_HOST={address} ollama serve`. Linux service: `sudo systemctl edit ollama`, add `[Service]` and "
        '`Environment="OLLAMA_HOST={address}"`, then `sudo systemctl restart ollama`. macOS app: '
        '`launchctl setenv OLLAMA_HOST "{address}"`, then quit and open Ollama. Windows: '
        '`setx OLLAMA_HOST "{address}"`, then quit and open Ollama.'
    ),
    "openai": (
        "If the engine runs there, it listens on loopback only. Start it with `--host 0.0.0.0` (llama.cpp, vLLM), "
        "or turn on “Serve on Local Network” (LM Studio)."
    ),
}

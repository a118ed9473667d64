"""The contract's own assertions explain themselves."""

import pytest

for module in ("contract", "contract_nodes", "contract_queues", "contract_knowledge", "programs", "factories"):
    pytest.register_assert_rewrite(f"tests.nodes.fleet.{module}")

"""What the API is told of nodes."""

from rest_framework import serializers

from nodes.lib.strict import Strict
from nodes.models import Node
from nodes.validators import node_name, positive

LARGEST = 2**31 - 1  # what the database's integer holds


class NodeForm(Strict):
    """A node as `POST nodes` adds it and `PATCH nodes/NAME` changes it; a number that is null is unknown."""

    name = serializers.CharField(
        max_length=64, trim_whitespace=False, validators=[node_name], help_text="1 to 64 characters without a slash."
    )
    url = serializers.CharField(max_length=255, help_text="The engine's root, http://HOST:PORT.")
    engine = serializers.ChoiceField(
        list(Node.ENGINES), default="ollama", help_text="openai: llama.cpp, vLLM, LM Studio."
    )
    memory_gb = serializers.FloatField(
        required=False, allow_null=True, validators=[positive], help_text="What the engine may use, without an agent."
    )
    bandwidth_gbps = serializers.FloatField(
        required=False, allow_null=True, validators=[positive], help_text="Memory bandwidth, GB/s."
    )
    parallel = serializers.IntegerField(
        required=False, allow_null=True, min_value=1, max_value=LARGEST, help_text="Requests it runs at once."
    )
    note = serializers.CharField(required=False, allow_blank=True, max_length=255)

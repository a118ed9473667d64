"""Nodes and enrolment tokens as an operator enters them, with the commands' own rules."""

from typing import TYPE_CHECKING

from django import forms
from django.utils import timezone

from nodes.core.urls import BadUrl, engine_url
from nodes.models import EnrolmentToken, Node

if TYPE_CHECKING:
    NodeForms = forms.ModelForm[Node]
    TokenForms = forms.ModelForm[EnrolmentToken]
else:
    NodeForms = TokenForms = forms.ModelForm


class NodeForm(NodeForms):
    """A node."""

    class Meta:
        model = Node
        exclude = ()
        help_texts = {
            "name": "What people call it. Decisions name it so; its id stays when the name changes.",
            "url": "The engine's root, http://HOST:PORT. A host alone is read as Ollama's: port 11434.",
            "engine": "Ollama loads models on demand. OpenAI-compatible: llama.cpp, vLLM, LM Studio, MLX.",
            "enrolment": "Pending nodes get no requests until an operator approves them.",
            "bandwidth_gbps": "From the machine's data sheet. Large models go to fast machines. Empty: not known.",
            "note": "For people; the router does not read it.",
        }

    def clean_url(self) -> str:
        """The address in its one form."""
        try:
            return engine_url(self.cleaned_data["url"])
        except BadUrl as error:
            raise forms.ValidationError(f"{error}.") from error


class TokenForm(TokenForms):
    """An enrolment token; the token itself is made, not entered."""

    class Meta:
        model = EnrolmentToken
        exclude = ()
        help_texts = {
            "name": "What it is for, such as the room or the person.",
            "expires_at": "UTC. Empty: never.",
            "revoked": "A revoked token lets nobody in; nodes that joined with it stay.",
        }

    def clean_expires_at(self) -> object:
        """A time to come, if it was changed."""
        expires = self.cleaned_data["expires_at"]
        if expires and "expires_at" in self.changed_data and expires <= timezone.now():
            raise forms.ValidationError("This is past: give a time to come, or none.")
        return expires

"""API keys as an operator enters them, with the command's own rules."""

from typing import TYPE_CHECKING, Any

from django import forms
from django.utils import timezone

from nodes.lib.admin import number_input, text_input
from routing import aliases, keys
from routing.models import ApiKey, ModelAlias

MOST = 2**31 - 1

if TYPE_CHECKING:
    KeyForms = forms.ModelForm[ApiKey]
    AliasForms = forms.ModelForm[ModelAlias]
else:
    KeyForms = AliasForms = forms.ModelForm


def limit(label: str, help_text: str) -> forms.IntegerField:
    """A whole number above 0, or none."""
    widget = number_input(min="1")
    return forms.IntegerField(
        label=label, required=False, min_value=1, max_value=MOST, widget=widget, help_text=help_text
    )


class KeyForm(KeyForms):
    """What one key may do; the key itself is made, not entered."""

    models = forms.CharField(
        required=False,
        widget=text_input(placeholder="llama3.3:70b, qwen2.5:7b"),
        help_text="Only these, comma-separated. Empty: all.",
    )
    rpm = limit("Requests a minute", "Empty: no limit.")
    max_in_flight = limit("Requests at once", "Running and waiting. Empty: no limit.")

    class Meta:
        model = ApiKey
        fields = ("name", "models", "pull", "rpm", "max_in_flight", "expires_at")
        help_texts = {
            "name": "Whose or what for. Decisions name the key that a request came with.",
            "pull": "May have models pulled that no node has.",
            "expires_at": "UTC. Empty: never.",
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.initial["models"] = ", ".join(self.instance.models)

    def clean_name(self) -> str:
        """A name that no key in force has."""
        try:
            return keys.new_name(self.cleaned_data["name"])
        except keys.KeyProblem as problem:
            raise forms.ValidationError(str(problem)) from problem

    def clean_models(self) -> list[str]:
        """The models' names in their one form."""
        return keys.model_names(self.cleaned_data["models"].split(","))

    def clean_expires_at(self) -> Any:
        """A time to come, if it was changed."""
        expires = self.cleaned_data["expires_at"]
        if expires and "expires_at" in self.changed_data and expires <= timezone.now():
            raise forms.ValidationError("This is past: give a time to come, or none.")
        return expires


class AliasForm(AliasForms):
    """A name, the model it stands for, and what may answer instead."""

    fallbacks = forms.CharField(
        required=False,
        widget=text_input(placeholder="qwen2.5:7b, llama3.2"),
        help_text="Taken instead, in this order, unless a client names its own; comma-separated.",
    )

    class Meta:
        model = ModelAlias
        fields = ("name", "target", "fallbacks")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.initial["fallbacks"] = ", ".join(self.instance.fallbacks)

    def clean_fallbacks(self) -> list[str]:
        """The models' names."""
        return [name.strip() for name in self.cleaned_data["fallbacks"].split(",") if name.strip()]

    def clean(self) -> dict[str, Any]:
        """The fields, if such an alias can be."""
        given: dict[str, Any] = super().clean() or self.cleaned_data
        if not self.errors:
            try:
                aliases.checked(ModelAlias(pk=self.instance.pk, **given))
            except aliases.AliasProblem as problem:
                raise forms.ValidationError(str(problem)) from problem
        return given

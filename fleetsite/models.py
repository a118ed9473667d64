"""Changes of parameters, signed and dated."""

from django.conf import settings
from django.db import models
from django.utils import timezone


class ParameterOverride(models.Model):
    """One change of one parameter, never altered afterwards; value null: reverted to environment or default."""

    name = models.CharField("environment name", max_length=100, db_index=True)
    value = models.JSONField(null=True)
    note = models.CharField(max_length=255, blank=True)
    author = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ("id",)

    def __str__(self) -> str:
        return f"{self.name} = {'reverted' if self.value is None else self.value}"

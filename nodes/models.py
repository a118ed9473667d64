"""What operators decided about nodes: kept for ever, secrets only as digests."""

from django.db import models
from django.db.models import Q
from django.utils import timezone

from nodes.validators import node_name, positive


class Node(models.Model):
    """One machine with an engine: a stable id, its address, what it may be used for."""

    ENGINES = {"ollama": "Ollama", "openai": "OpenAI-compatible"}
    ENROLMENTS = {"approved": "approved", "pending": "pending"}

    id = models.CharField(primary_key=True, max_length=64, editable=False)
    name = models.CharField(max_length=64, unique=True, validators=(node_name,))
    url = models.CharField("URL", max_length=255, help_text="The engine's root, http://HOST:PORT.")
    engine = models.CharField(max_length=16, choices=ENGINES, default="ollama")
    enrolment = models.CharField(max_length=16, choices=ENROLMENTS, default="approved")
    paused = models.BooleanField(default=False, help_text="Takes no requests; what waits goes elsewhere.")
    draining = models.BooleanField(default=False, help_text="Finishes what runs and takes nothing new.")
    memory_gb = models.FloatField(
        "memory, GB",
        null=True,
        blank=True,
        validators=(positive,),
        help_text="What the engine may use, where no agent reports memory.",
    )
    bandwidth_gbps = models.FloatField("memory bandwidth, GB/s", null=True, blank=True, validators=(positive,))
    parallel = models.PositiveIntegerField(
        null=True,
        blank=True,
        validators=(positive,),
        help_text="Requests the engine runs at once, taken as it is; empty: reckoned.",
    )
    credential = models.CharField(max_length=64, blank=True, editable=False)
    added_at = models.DateTimeField(default=timezone.now, editable=False)
    note = models.CharField(max_length=255, blank=True)

    class Meta:
        ordering = ("added_at", "id")
        constraints = (
            models.UniqueConstraint(
                fields=("url",),
                condition=~Q(url=""),
                name="one_node_a_url",
                violation_error_message="Another node has this URL.",
            ),
        )

    def __str__(self) -> str:
        return self.name


class EnrolmentToken(models.Model):
    """What lets an agent ask to join; only its digest is kept."""

    name = models.CharField(max_length=64, unique=True)
    digest = models.CharField(max_length=64, unique=True, editable=False)
    expires_at = models.DateTimeField(null=True, blank=True)
    uses_left = models.PositiveIntegerField(null=True, blank=True, help_text="Empty: any number.")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    revoked = models.BooleanField(default=False)

    class Meta:
        ordering = ("-created_at",)

    def __str__(self) -> str:
        return self.name


class ChangeCounter(models.Model):
    """One row: how often something changed that servers hold in memory."""

    value = models.PositiveBigIntegerField(default=0)

    def __str__(self) -> str:
        return str(self.value)

"""What is remembered of requests, and who may make them."""

from django.db import models
from django.db.models import JSONField
from django.utils import timezone


def _words(*words: str) -> list[tuple[str, str]]:
    return [(word, word.replace("_", " ")) for word in words]


class RoutingDecision(models.Model):
    """One request: what was asked and served, what the scorer saw, what came of it. Written by the journal alone."""

    OUTCOMES = _words(
        "completed",
        "client_gone",
        "upstream_failed",
        "timed_out",
        "hold_expired",
        "queue_full",
        "unknown_model",
        "invalid",
        "refused",
        "interrupted",
    )
    DIALECTS = _words("ollama", "openai", "responses", "anthropic")

    id = models.CharField(primary_key=True, max_length=32)  # grows with time
    at = models.DateTimeField()
    dialect = models.CharField(max_length=16, choices=DIALECTS)
    path = models.CharField(max_length=128)
    stream = models.BooleanField(default=False)
    requested_model = models.CharField(max_length=255, blank=True)
    served_model = models.CharField(max_length=255, blank=True)
    node = models.CharField(max_length=64, blank=True)
    policy = models.CharField(max_length=32, blank=True)
    parameters_version = models.BigIntegerField(default=0)
    score = models.FloatField(null=True)
    outcome = models.CharField(max_length=16, choices=OUTCOMES, null=True)  # noqa: DJ001  null: it still runs
    status = models.IntegerField(null=True)
    reason = models.TextField(blank=True)
    key = models.CharField(max_length=64, blank=True)
    tags = JSONField(default=list)
    session = models.CharField(max_length=64, blank=True)
    route = models.CharField(max_length=16, blank=True)
    held_ms = models.FloatField(null=True)
    queue_ms = models.FloatField(null=True)
    first_token_ms = models.FloatField(null=True)
    total_ms = models.FloatField(null=True)
    prompt_tokens = models.IntegerField(null=True)
    completion_tokens = models.IntegerField(null=True)
    retries = models.IntegerField(default=0)
    moves = models.IntegerField(default=0)
    process = models.CharField(max_length=64, blank=True)
    # The wide ones stand last: SQLite then finds the others without reading these.
    candidates = JSONField(default=list)
    eliminated = JSONField(default=list)
    eliminated_counts = JSONField(default=dict)
    attempts = JSONField(default=list)

    class Meta:
        ordering = ("-at", "-id")
        # Every filter of the API ends in a walk from the newest down: so each index ends in the time.
        indexes = (
            models.Index("at", "id", name="decision_at"),
            models.Index("node", "at", "id", name="decision_node"),
            models.Index("requested_model", "at", "id", name="decision_requested"),
            models.Index("served_model", "at", "id", name="decision_served"),
            models.Index("outcome", "at", "id", name="decision_outcome"),
            models.Index("key", "at", "id", name="decision_key"),
        )

    def __str__(self) -> str:
        return self.id


class LatencyHistory(models.Model):
    """The last completed requests of one model on one node, each in seconds, oldest first."""

    node = models.CharField(max_length=64)
    model = models.CharField(max_length=255)
    durations = JSONField(default=list)
    samples = models.IntegerField(default=0)
    p75_ms = models.FloatField(default=0.0)
    updated_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ("node", "model")
        constraints = (models.UniqueConstraint(fields=("node", "model"), name="one_latency_a_queue"),)
        verbose_name = verbose_name_plural = "latency history"

    def __str__(self) -> str:
        return f"{self.node}:{self.model}"


class ApiKey(models.Model):
    """What one key may do; the key itself is shown once and kept as its digest alone."""

    name = models.CharField(max_length=64)
    digest = models.CharField(max_length=64, unique=True, editable=False)
    prefix = models.CharField(max_length=16, editable=False)
    pull = models.BooleanField(default=False)
    rpm = models.PositiveIntegerField("requests a minute", null=True, blank=True)
    max_in_flight = models.PositiveIntegerField(null=True, blank=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    revoked_at = models.DateTimeField(null=True, blank=True, editable=False)
    models = JSONField(default=list, blank=True)  # the last, for its name hides Django's; empty: all

    class Meta:
        ordering = ("created_at", "id")
        constraints = (  # a revoked key's name is free again
            models.UniqueConstraint(fields=("name",), condition=models.Q(revoked_at=None), name="one_key_a_name"),
        )
        verbose_name = "API key"

    def __str__(self) -> str:
        return self.name


class ModelAlias(models.Model):
    """A name that clients use and no model has; models in normal form."""

    name = models.CharField(max_length=255, unique=True, help_text="What clients ask for: claude-sonnet-4-5, fast.")
    target = models.CharField("model", max_length=255, help_text="The model that answers.")
    fallbacks = JSONField(default=list, blank=True)

    class Meta:
        ordering = ("name",)
        verbose_name, verbose_name_plural = "model alias", "model aliases"

    def __str__(self) -> str:
        return self.name

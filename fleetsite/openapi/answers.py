"""The JSON forms of the control API's answers, as serializers: for the schema alone, presenters make the values."""

from typing import Any

from drf_spectacular.utils import inline_serializer
from rest_framework import serializers as s

from fleetsite.openapi.fields import NoValue, Value, number, text, time, whole
from nodes.models import Node
from routing.core.signals import SIGNALS
from routing.models import RoutingDecision


class Memory(s.Serializer[Any]):
    total_gb = number()
    available_gb = number()
    pressure = text("normal, warn or critical")


class Resident(s.Serializer[Any]):
    name = s.CharField()
    size_gb = number()
    context = whole()  # type: ignore[assignment]  # hides DRF's own `context`, which nobody reads here
    expires_at = time()
    slots = s.IntegerField(help_text="Requests of ours that may run at once.")
    in_flight = s.IntegerField()
    pending = s.IntegerField()


class OnDisk(s.Serializer[Any]):
    name = s.CharField()
    size_gb = number()
    digest = s.CharField(allow_blank=True)


class NodeRow(s.Serializer[Any]):
    id = s.CharField()
    name = s.CharField()
    engine = s.ChoiceField(list(Node.ENGINES))
    url = s.CharField(allow_blank=True)
    state = s.CharField(help_text="The one word that an operator sees: online, paused, unreachable …")
    status = text("online, degraded or offline; null where no router runs")
    enrolment = s.ChoiceField(list(Node.ENROLMENTS))
    reachable = s.BooleanField(allow_null=True)
    paused = s.BooleanField()
    draining = s.BooleanField()
    version = s.CharField(allow_blank=True)
    memory = Memory()
    bandwidth_gbps = number()
    parallel = whole()
    capacity = s.DictField(allow_null=True, help_text="What the learned week says; null without learning.")
    resident = Resident(many=True)
    on_disk = OnDisk(many=True)
    suspended = s.ListField(child=s.CharField(), help_text="Models that get no requests here now: they failed lately.")
    last_seen = time()
    trouble = s.CharField(allow_blank=True, help_text="Why it can't be reached.")
    alerts = s.ListField(child=s.DictField())


class ActedOn(s.Serializer[Any]):
    id = s.CharField()
    name = s.CharField()
    url = s.CharField()
    enrolment = s.ChoiceField(list(Node.ENROLMENTS))
    paused = s.BooleanField()
    draining = s.BooleanField()


class Queue(s.Serializer[Any]):
    node = s.CharField()
    model = s.CharField()
    in_flight = s.IntegerField()
    pending = s.IntegerField()
    slots = s.IntegerField()
    oldest_wait_s = number()
    est_wait_s = number()


class Latency(s.Serializer[Any]):
    node = s.CharField()
    model = s.CharField()
    p75_ms = s.FloatField()
    samples = s.IntegerField()


Signals = inline_serializer("Signals", {signal.name: s.FloatField() for signal in SIGNALS})


class Scored(s.Serializer[Any]):
    node = s.CharField()
    model = s.CharField()
    score = s.FloatField()
    signals = Signals
    inputs = s.DictField(required=False, help_text="What the scorer saw.")


class Eliminated(s.Serializer[Any]):
    node = s.CharField()
    model = s.CharField()
    reason = s.CharField()


class Attempt(s.Serializer[Any]):
    node = s.CharField()
    error = s.CharField()
    ms = number()


class DecisionRow(s.Serializer[Any]):
    id = s.CharField()
    at = s.DateTimeField()
    dialect = s.CharField()
    path = s.CharField()
    stream = s.BooleanField()
    requested_model = s.CharField(allow_blank=True)
    served_model = text()
    node = text()
    policy = s.CharField(allow_blank=True)
    parameters_version = s.IntegerField()
    score = number()
    outcome = s.ChoiceField(RoutingDecision.OUTCOMES, allow_null=True, help_text="null: it still runs")
    status = whole()
    reason = s.CharField(allow_blank=True)
    key = text()
    tags = s.ListField(child=s.CharField())
    session = text()
    route = text("native or translated")
    held_ms = number()
    queue_ms = number()
    first_token_ms = number()
    total_ms = number()
    prompt_tokens = whole()
    completion_tokens = whole()
    retries = s.IntegerField()
    moves = s.IntegerField()
    candidates = Scored(many=True, help_text="The winner and the best fifteen, in full.")
    eliminated = Eliminated(many=True, help_text="Sixteen examples.")
    eliminated_counts = s.DictField(child=s.IntegerField(), help_text="How many were out for each reason.")
    attempts = Attempt(many=True, help_text="Tries that failed.")


class Change(s.Serializer[Any]):
    value = NoValue()
    note = s.CharField(allow_blank=True)
    author = text()
    at = s.DateTimeField()


class ParameterRow(s.Serializer[Any]):
    name = s.CharField(help_text="Its name in the environment.")
    group = s.CharField()
    type = s.ChoiceField(["float", "int", "bool", "str"])
    value = Value(help_text="What is in force.")
    default = Value()
    environment = NoValue()
    override = NoValue()
    range = s.ListField(child=s.FloatField(allow_null=True), min_length=2, max_length=2)
    choices = s.ListField(child=s.CharField())
    unit = s.CharField(allow_blank=True)
    help = s.CharField()
    last_change = Change(allow_null=True)


class ApiKeyRow(s.Serializer[Any]):
    name = s.CharField()
    prefix = s.CharField()
    models = s.ListField(child=s.CharField(), help_text="Empty: all.")
    pull = s.BooleanField()
    rpm = whole()
    max_in_flight = whole()
    expires_at = time()
    revoked_at = time()
    created_at = s.DateTimeField()


class NewApiKey(ApiKeyRow):
    key = s.CharField(help_text="The key itself, shown this once.")


class AliasRow(s.Serializer[Any]):
    name = s.CharField()
    target = s.CharField(help_text="The model that answers.")
    fallbacks = s.ListField(child=s.CharField(), help_text="Taken instead, in this order.")


class Explanation(s.Serializer[Any]):
    outcome = s.ChoiceField(["route", "hold", "unknown_model", "invalid"])
    model = text()
    node = text()
    ranking = Scored(many=True)
    eliminated = Eliminated(many=True)

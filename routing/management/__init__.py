"""MANAGEMENT: the paths that change which models there are, and who answers each."""

from routing.management import blobs, models
from routing.management.asked import Managed

MANAGEMENT: tuple[Managed, ...] = (
    Managed("/api/pull", ("POST",), models.pull),
    Managed("/api/delete", ("DELETE",), models.delete),
    Managed("/api/copy", ("POST",), models.copy),
    Managed("/api/create", ("POST",), models.create),
    Managed("/api/push", ("POST",), models.push),
    Managed("/api/blobs/", ("HEAD", "POST"), blobs.blob, whole=False),
)

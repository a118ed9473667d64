"""Paths of the control API under `nodes/`."""

from django.urls import re_path

from nodes.roster import ACTIONS
from nodes.views import NodeAction

urlpatterns = [re_path(rf"^nodes/(?P<name>[^/]+)/(?P<action>{'|'.join(ACTIONS)})$", NodeAction.as_view())]

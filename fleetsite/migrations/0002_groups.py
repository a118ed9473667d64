"""Two groups to begin with: an auditor sees everything, an operator also changes what the fleet is."""

from django.apps import apps as installed
from django.contrib.auth.management import create_permissions
from django.db import migrations

SEEN = {
    "nodes": ("node", "enrolmenttoken"),
    "routing": ("routingdecision", "latencyhistory", "apikey"),
    "fleetsite": ("parameteroverride",),
    "auth": ("user", "group"),
    "admin": ("logentry",),
}
CHANGED = {
    "nodes": ("add_node", "change_node", "delete_node", "add_enrolmenttoken", "change_enrolmenttoken", "delete_enrolmenttoken"),
    "routing": ("add_apikey", "change_apikey"),
    "fleetsite": ("add_parameteroverride",),
}


def make(apps, schema_editor):
    """Permissions are made after all migrations; those that the groups need are made now."""
    for label in SEEN:
        create_permissions(installed.get_app_config(label), verbosity=0, apps=apps)
    views = {label: tuple(f"view_{model}" for model in models) for label, models in SEEN.items()}
    _grant(apps, "auditor", views)
    _grant(apps, "operator", views)
    _grant(apps, "operator", CHANGED)


def _grant(apps, name, granted):
    group, _ = apps.get_model("auth", "Group").objects.get_or_create(name=name)
    permissions = apps.get_model("auth", "Permission").objects
    for label, codenames in granted.items():
        group.permissions.add(*permissions.filter(content_type__app_label=label, codename__in=codenames))


class Migration(migrations.Migration):

    dependencies = [
        ("fleetsite", "0001_initial"),
        ("nodes", "0001_initial"),
        ("routing", "0001_initial"),
        ("auth", "0012_alter_user_first_name_max_length"),
        ("admin", "0003_logentry_add_action_flag_choices"),
        ("contenttypes", "0002_remove_content_type_name"),
    ]

    operations = [migrations.RunPython(make, migrations.RunPython.noop)]

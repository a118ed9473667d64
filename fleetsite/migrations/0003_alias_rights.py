"""The groups' rights to model aliases: an auditor sees them, an operator makes, changes and removes them."""

from django.apps import apps as installed
from django.contrib.auth.management import create_permissions
from django.db import migrations

GRANTED = {
    "auditor": ("view_modelalias",),
    "operator": ("view_modelalias", "add_modelalias", "change_modelalias", "delete_modelalias"),
}


def grant(apps, schema_editor):
    """Permissions are made after all migrations; those that the groups need are made now."""
    create_permissions(installed.get_app_config("routing"), verbosity=0, apps=apps)
    permissions = apps.get_model("auth", "Permission").objects.filter(content_type__app_label="routing")
    for name, codenames in GRANTED.items():
        group, _ = apps.get_model("auth", "Group").objects.get_or_create(name=name)
        group.permissions.add(*permissions.filter(codename__in=codenames))


class Migration(migrations.Migration):

    dependencies = [
        ("fleetsite", "0002_groups"),
        ("routing", "0004_model_alias"),
    ]

    operations = [migrations.RunPython(grant, migrations.RunPython.noop)]

"""`/fleet/api/schema` and `/fleet/api/docs`."""

from drf_spectacular.renderers import (
    OpenApiJsonRenderer,
    OpenApiJsonRenderer2,
    OpenApiYamlRenderer,
    OpenApiYamlRenderer2,
)
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerView


class Schema(SpectacularAPIView):
    """The OpenAPI schema: JSON, unless YAML is asked for."""

    renderer_classes = [OpenApiJsonRenderer, OpenApiJsonRenderer2, OpenApiYamlRenderer, OpenApiYamlRenderer2]


class Docs(SpectacularSwaggerView):
    """The schema as a page to read and to try."""

    template_name = "api_docs.html"


schema = Schema.as_view()
docs = Docs.as_view()

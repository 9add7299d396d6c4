"""The application as parts of other ones: extra routes, host and origin rules."""

from __future__ import annotations

from typing import Any

from ..._asgi import AsgiApp


def with_routes(app: AsgiApp, routes: list[Any]) -> Any:
    """`app` alone, or a Starlette application with the custom routes in front of it."""
    if not routes:
        return app
    from starlette.applications import Starlette
    from starlette.routing import Mount, Route

    made: list[Any] = [
        Route(path, fn, methods=methods, name=name, include_in_schema=included) for path, fn, methods, name, included in routes
    ]
    outer = Starlette(routes=[*made, Mount("/", app=app)], lifespan=app.lifespan)
    outer.lifespan = app.lifespan  # pyright: ignore[reportAttributeAccessIssue]  callers hand it on
    return outer


def security_options(security: Any) -> dict[str, Any]:
    """The settings for DNS rebinding protection as options of the engine."""
    if security is None:
        return {}
    if getattr(security, "enable_dns_rebinding_protection", True) is False:
        return {"allow_any_host": True}
    options: dict[str, Any] = {}
    if getattr(security, "allowed_hosts", None):
        options["allowed_hosts"] = list(security.allowed_hosts)
    if getattr(security, "allowed_origins", None):
        options["allowed_origins"] = list(security.allowed_origins)
    return options

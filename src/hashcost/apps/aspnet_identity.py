"""ASP.NET Core Identity: ``PasswordHasherOptions.IterationCount``."""

from __future__ import annotations

from hashcost.apps.files.source_code import reader
from hashcost.apps.files.timings import DOTNET_PBKDF2
from hashcost.apps.interface import App, Default, Limits, Scheme
from hashcost.core.model import Params

_SOURCE = "dotnet/aspnetcore, src/Identity/Extensions.Core/src/PasswordHasher.cs"
_OPTIONS = "learn.microsoft.com, PasswordHasherOptions.IterationCount"


def _write(params: Params) -> str:
    return (
        "builder.Services.Configure<PasswordHasherOptions>(\n"
        f"    options => options.IterationCount = {params['iterations']});\n"
    )


APP = App(
    name="aspnet-identity",
    title="ASP.NET Core Identity",
    schemes=(
        Scheme(
            hasher="pbkdf2-sha512",
            library=".NET's PBKDF2",
            timing=DOTNET_PBKDF2,
            keys={"iterations": "PasswordHasherOptions.IterationCount"},
            limits={"iterations": Limits(minimum=1, maximum=2**31 - 1)},
            write=_write,
            defaults=(Default(since="7", params={"iterations": 100_000}, source=_OPTIONS),),
            note="before .NET 7 the same setting counts HMAC-SHA256 iterations",
        ),
    ),
    comment="// {}",
    read=reader("csharp", libraries=("ASP.NET Core Identity",)),
    places=("Program.cs", "Startup.cs"),
    rehashes="on login (SuccessRehashNeeded), only to a higher cost",
    sources=(_SOURCE, _OPTIONS),
)

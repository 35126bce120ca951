"""Whether the remotes of the user's settings can be asked, each within the time that one answer may take."""

from collections.abc import Iterator

from cairn.base.errors import CairnError
from cairn.surfaces.agents.checks import DoctorCheck, failed, ok, warning
from cairn.team.exchange import TOP
from cairn.team.patience import PatientRemote, remote_beneath
from cairn.team.settings import team_settings

_CODE = "remote"


def check_remotes() -> Iterator[DoctorCheck]:
    """One check for each remote; none where there are none."""
    try:
        settings = team_settings()
    except CairnError as error:
        yield failed(_CODE, error.message, error.hint)
        return
    for name, address in settings.addresses.items():
        try:
            PatientRemote(remote_beneath(address, settings.timeout_s), settings.timeout_s).has(TOP)
        except CairnError as error:
            yield warning(_CODE, f"{name}: {error.message}", error.hint)
        else:
            yield ok(_CODE, f"{name} at {address} answers")

"""The steps of hints as requests; what the API doesn't do stays in plain words."""

from cairn.base.steps import NextStep

REQUESTS = {
    "help": "see /openapi.json",
    "index": "ask with sync=true",
    "status": "ask /v1/status",
    "stores": "ask /v1/stores",
    "contexts": "ask /v1/contexts",
    "jobs": "ask /v1/jobs",
    "job": "ask /v1/jobs with job={0}",
}


def request(step: NextStep) -> str:
    """The step as a request."""
    known = REQUESTS.get(step.action)
    return step.phrase() if known is None else known.format(step.argument)

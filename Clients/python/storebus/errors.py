class StoreError(Exception):
    """A response of the store that is no success.

    `code` is the contract, such as `catalogInvalid`: https://datatracker.ietf.org/doc/html/rfc9457 with Storebus's codes.
    `problem` has all members of the response.
    """

    def __init__(self, status, problem, request):
        self.status = status
        self.problem = problem
        self.code = problem.get("code")
        faults = problem.get("details", {}).get("problems", [])
        lines = [f"{request}: {status} {self.code or ''} {problem.get('detail') or problem.get('title', '')}".rstrip()]
        lines += [f"  {fault.get('path')}: {fault.get('reason')}" for fault in faults[:20]]
        super().__init__("\n".join(lines))

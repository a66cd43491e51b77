"""The verifiers of Java and of Node.js themselves, where the machine has them, used as Apple's libraries use them.

Apple's Java library has Java's PKIX validator and OCSP client do the work (`Verify.java`), its Node.js library Node.js'
own X.509 (`verify.mjs`). Both have to take what is signed well and to refuse each fault; app and environment are compared
by the libraries, not by these.
"""

import os
import shutil
import subprocess

from store import ADMIN, SAMPLE, SPOTS, buy, call, expect, section, session

HERE = os.path.dirname(os.path.abspath(__file__))
FAULTS = ["signature", "tampered", "root", "leafOID", "intermediateOID", "expired", "notYetValid", "noX5C", "algorithm",
          "chainOfTwo", "chainOfFour", "corruptCertificate", "revoked"]
ROOT = os.path.abspath(".storebus/root.cer")


def results(command, payloads):
    done = subprocess.run(command, input="\n".join(payloads), capture_output=True, text=True, timeout=120)
    found = done.stdout.splitlines()
    if len(found) != len(payloads):
        raise SystemExit(f"{command[0]}: {done.stderr[-2000:]}")
    return found


def main():
    section("the verifiers of other languages")
    bought = buy(session("vera", SAMPLE), SPOTS, "v-spots")["transactionIdentifier"]
    issue = f"/admin/v1/apps/{SAMPLE}/signing/issue"
    payloads = [call("POST", issue, ADMIN, {"kind": "transaction", "of": bought, **({"break": fault} if fault else {})})["jws"]
                for fault in [None, *FAULTS]]
    commands = []
    if shutil.which("node"):
        commands.append(("node, offline", ["node", f"{HERE}/verify.mjs", ROOT], False))
    if shutil.which("java"):
        commands.append(("java, offline", ["java", f"{HERE}/Verify.java", ROOT, "offline"], False))
        commands.append(("java, online", ["java", f"{HERE}/Verify.java", ROOT, "online"], True))
    print("  " + (", ".join(name for name, _, _ in commands) or "left out: there is neither java nor node"))
    for name, command, is_online in commands:
        for fault, found in zip([None, *FAULTS], results(command, payloads)):
            is_good = fault is None or fault == "revoked" and not is_online
            expect(f"{name}: {fault or 'a good one'} ({found})", found == "ok", is_good)
    if not shutil.which("java"):
        return
    for mode in ("revoked", "unknown", "stale", "wrongSigner", "malformed", "unavailable", "good"):
        call("PUT", "/admin/v1/signing/ocsp", ADMIN, {"mode": mode})
        found = results(["java", f"{HERE}/Verify.java", ROOT, "online"], payloads[:1])[0]
        expect(f"java, online, a responder that is {mode} ({found})", found == "ok", mode == "good")

// Verifies payloads with Node.js' own crypto as Apple's Node.js library does it without online checks: two certificates
// below a trusted root, names and signatures upwards, the intermediate an authority, both marks, dates within a minute.
//
//   node verify.mjs ROOT    reads a JWS a line and writes "ok" or the reason a line
import { X509Certificate, verify } from "node:crypto"
import { readFileSync } from "node:fs"

const skew = 60_000
const root = new X509Certificate(readFileSync(process.argv[2]))
// The extensions' identifiers in DER: 1.2.840.113635.100.6.11.1 and .2.1.
const marks = ["060a2a864886f76364060b01", "060a2a864886f76364060201"].map(hex => Buffer.from(hex, "hex"))

function check(condition, reason) {
    if (!condition) throw new Error(reason)
}

function verified(jws) {
    const parts = jws.split(".")
    const [header, payload] = parts.slice(0, 2).map(part => JSON.parse(Buffer.from(part, "base64url")))
    check(header.alg === "ES256", "algorithm")
    const chain = header.x5c ?? []
    check(chain.length === 3, `a chain of ${chain.length}`)
    const [leaf, intermediate] = chain.slice(0, 2).map(text => new X509Certificate(Buffer.from(text, "base64")))
    check(intermediate.verify(root.publicKey) && intermediate.issuer === root.subject, "not below the root")
    check(leaf.verify(intermediate.publicKey) && leaf.issuer === intermediate.subject, "not below the intermediate")
    check(intermediate.ca, "the intermediate is no authority")
    check(leaf.raw.includes(marks[0]) && intermediate.raw.includes(marks[1]), "a mark is missing")
    for (const one of [leaf, intermediate, root]) {
        check(new Date(one.validFrom).getTime() <= payload.signedDate + skew, "not valid yet")
        check(new Date(one.validTo).getTime() >= payload.signedDate - skew, "expired")
    }
    const key = { key: leaf.publicKey, dsaEncoding: "ieee-p1363" }
    check(verify("sha256", Buffer.from(parts.slice(0, 2).join(".")), key, Buffer.from(parts[2], "base64url")), "signature")
}

for (const jws of readFileSync(0, "utf8").trimEnd().split("\n")) {
    try {
        verified(jws)
        console.log("ok")
    } catch (error) {
        console.log(String(error.message).replaceAll("\n", " "))
    }
}

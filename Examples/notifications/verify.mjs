import { X509Certificate, verify } from "node:crypto"
import { readFileSync } from "node:fs"

const must = (holds, what) => { if (!holds) throw new Error(what) }
const parts = JSON.parse(readFileSync(0)).signedPayload.split(".")
const [header, payload] = parts.slice(0, 2).map(part => JSON.parse(Buffer.from(part, "base64url")))
const root = new X509Certificate(readFileSync("root.cer"))
const chain = header.x5c.map(text => new X509Certificate(Buffer.from(text, "base64")))
must(header.alg === "ES256" && chain.length === 3 && chain[2].raw.equals(root.raw), "chain")
must(chain[0].verify(chain[1].publicKey) && chain[1].verify(root.publicKey) && chain[1].ca, "issuer")
for (const { validFrom, validTo } of chain) must(new Date(validFrom) <= payload.signedDate && payload.signedDate <= new Date(validTo), "validity")
const marks = ["060a2a864886f76364060b01", "060a2a864886f76364060201"].map(hex => Buffer.from(hex, "hex"))
must(marks.every((mark, place) => chain[place].raw.includes(mark)), "purpose")
const key = { key: chain[0].publicKey, dsaEncoding: "ieee-p1363" }
must(verify("sha256", Buffer.from(`${parts[0]}.${parts[1]}`), key, Buffer.from(parts[2], "base64url")), "signature")
const { bundleId, environment } = payload.data ?? payload.summary
must(bundleId === process.env.BUNDLE_ID && environment === "Sandbox", "app")
console.log(payload.notificationType)

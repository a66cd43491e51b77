import Cryptography
import FoundationEssentials
import StoreModels

extension BrokenSignature {
    /// The error for a fault that a payload or signer cannot have, such as another app's renewal information.
    package struct NotApplicable: Error {
        /// The fault that was asked for.
        package let broken: BrokenSignature
    }
}

extension JWSSigner {
    /// Signs a payload wrongly.
    ///
    /// Certificates that are not the authority's own are made for each call, with its keys.
    /// - Throws: ``BrokenSignature/NotApplicable``, or `StrictJSONError` for a payload that would have to be changed
    ///   and is not JSON.
    package func sign(_ payload: [UInt8], broken: BrokenSignature) throws -> String {
        var header = self.header
        var key = authority.leafKey
        var (signed, sent) = (payload, payload)
        switch broken {
        case .signature: break
        case .noX5C: header.chain = nil
        // What a server accepts that lets the header choose how it verifies.
        case .algorithm: header.algorithm = "none"
        case .tampered: sent = try BrokenPayload(payload).tampered()
        case .bundle, .environment:
            signed = try BrokenPayload(payload).foreign(broken)
            sent = signed
        case .corruptCertificate:
            header.chain = header.chain.map { [Array($0[0].prefix($0[0].count / 2))] + $0.dropFirst() }
        case .root, .leafOID, .intermediateOID, .expired, .notYetValid, .chainOfTwo, .chainOfFour, .revoked:
            guard kind == .appStore else { throw BrokenSignature.NotApplicable(broken: broken) }
            let chain: [Certificate]
            (chain, key) = try authority.chain(broken)
            header.chain = chain.map(\.bytes)
        }
        let encodedHeader = header.encoded
        let input = Self.input(encodedHeader, signed)
        var signature = broken == .algorithm ? [] : Self.signature(of: input, key)
        if broken == .signature { signature[signature.count - 1] ^= 1 }
        var text = signed == sent ? input : Self.input(encodedHeader, sent)
        Self.append(signature, to: &text)
        return String(decoding: text, as: UTF8.self)
    }
}

extension CertificateAuthority {
    /// A chain with a fault, leaf first, and the leaf's key. Without a fault of the chain, its own.
    fileprivate func chain(_ broken: BrokenSignature) throws -> ([Certificate], P256.Signing.PrivateKey) {
        var templates = self.templates
        switch broken {
        case .chainOfTwo: return ([leaf, intermediate], leafKey)
        // A server that takes the last certificate for the root finds it.
        case .chainOfFour: return (chain + [root], leafKey)
        case .root:
            let rootKey = P256.Signing.PrivateKey()
            let other = try CertificateAuthority(
                templates,
                root: CertificateTemplate.root.certificate(for: rootKey.publicKey, issuer: nil, issuerKey: rootKey),
                rootKey: rootKey, intermediateKey: P256.Signing.PrivateKey(), leafKey: P256.Signing.PrivateKey())
            return (other.chain, other.leafKey)
        case .intermediateOID:
            templates.intermediate.marker = nil
            return ([leaf, try reissued(templates).intermediate, root], leafKey)
        case .leafOID: templates.leaf.marker = nil
        case .expired:
            templates.leaf.notValidBefore = CertificateTemplate.firstInstant - Self.year
            templates.leaf.notValidAfter = CertificateTemplate.firstInstant - 1
        case .notYetValid:
            templates.leaf.notValidBefore = CertificateTemplate.lastInstant + 1
            templates.leaf.notValidAfter = CertificateTemplate.lastInstant + Self.year
        case .revoked: templates.leaf.isRevoked = true
        default: return (chain, leafKey)
        }
        return ([try reissued(templates).leaf, intermediate, root], leafKey)
    }

    /// The same keys with certificates of other templates.
    private func reissued(_ templates: ChainTemplates) throws -> CertificateAuthority {
        try CertificateAuthority(
            templates, root: root, rootKey: rootKey, intermediateKey: intermediateKey, leafKey: leafKey)
    }

    /// 365 days, in seconds.
    private static let year = 31_536_000.0
}

/// A payload's JSON that is changed to be wrong.
private struct BrokenPayload {
    private let document: JSONValue

    init(_ payload: [UInt8]) throws(StrictJSONError) { document = try StrictJSON.parse(payload) }

    /// Adds a member that was not there.
    func tampered() throws -> [UInt8] {
        guard var members = document.objectValue else { throw BrokenSignature.NotApplicable(broken: .tampered) }
        members["tampered"] = .bool(true)
        return try StoreJSON.encode(JSONValue.object(members))
    }

    /// Changes app or environment wherever the payload names it: of a notification that is inside.
    func foreign(_ broken: BrokenSignature) throws -> [UInt8] {
        guard var members = document.objectValue else { throw BrokenSignature.NotApplicable(broken: broken) }
        for name in SignedMembers.outer {
            guard let inner = members[name]?.objectValue else { continue }
            members[name] = .object(Self.foreign(inner, broken))
        }
        let changed = JSONValue.object(Self.foreign(members, broken))
        guard changed != document else { throw BrokenSignature.NotApplicable(broken: broken) }
        return try StoreJSON.encode(changed)
    }

    private static func foreign(_ members: [String: JSONValue], _ broken: BrokenSignature) -> [String: JSONValue] {
        var members = members
        func change(_ name: String, _ change: (String) -> String) {
            if let text = members[name]?.stringValue { members[name] = .string(change(text)) }
        }
        if broken == .bundle {
            change("bundleId") { "\($0).other" }
            return members
        }
        for name in SignedMembers.environment {
            change(name) { $0 == "Sandbox" ? "Production" : "Sandbox" }
        }
        // An external purchase token's environment is how its identifier begins.
        change("externalPurchaseId") {
            let mark = "SANDBOX"
            return $0.utf8.starts(with: mark.utf8) ? String($0.dropFirst(mark.count)) : mark + $0
        }
        return members
    }
}

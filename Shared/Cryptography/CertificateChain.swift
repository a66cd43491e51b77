import COpenSSL
import FoundationEssentials

/// Certificates that lead from one to a trusted root.
package enum CertificateChain {
    /// Finds the path from a certificate to a trusted root (RFC 5280 §6).
    /// - Parameters:
    ///   - others: Certificates that may lie between.
    ///   - date: All certificates of the path must be valid then.
    /// - Returns: The path, root last. Nil if there is none.
    package static func path(
        from leaf: Certificate, through others: [Certificate], to root: Certificate, at date: Date
    ) -> [Certificate]? {
        let trusted = trusting(root)
        let context = made(X509_STORE_CTX_new())
        let between = stack(others)
        defer {
            X509_STORE_CTX_free(context)
            OPENSSL_sk_free(between)
            X509_STORE_free(trusted)
        }
        must(X509_STORE_CTX_init(context, trusted, leaf.pointer, between) == 1)
        // libcrypto refuses a certificate in the last second of its validity.
        X509_STORE_CTX_set_flags(context, UInt(X509_V_FLAG_NO_CHECK_TIME))
        guard X509_verify_cert(context) == 1, let found = X509_STORE_CTX_get0_chain(context) else {
            ERR_clear_error()
            return nil
        }
        let path = (0..<OPENSSL_sk_num(found)).map { index in
            let certificate = OpaquePointer(OPENSSL_sk_value(found, index))
            X509_up_ref(certificate)
            return Certificate(taking: made(certificate))
        }
        return path.allSatisfy { $0.isValid(at: date) } ? path : nil
    }

    fileprivate static func trusting(_ root: Certificate) -> OpaquePointer {
        let store = made(X509_STORE_new())
        must(X509_STORE_add_cert(store, root.pointer) == 1)
        return store
    }

    /// A list of libcrypto's, which keeps the certificates no longer than their owners do.
    fileprivate static func stack(_ certificates: [Certificate]) -> OpaquePointer {
        let stack = made(OPENSSL_sk_new_null())
        for certificate in certificates {
            must(OPENSSL_sk_push(stack, UnsafeRawPointer(certificate.pointer)) > 0)
        }
        return stack
    }
}

/// A question whether a certificate is revoked (RFC 6960).
package final class OCSPQuestion {
    /// The seconds that the responder's clock may differ.
    private static let leeway = 300

    /// DER, with a nonce.
    package let request: [UInt8]
    private let certificate: OpaquePointer
    private let object: OpaquePointer
    private let issuer: Certificate

    /// Asks about a certificate.
    package init(about certificate: Certificate, issuer: Certificate) {
        self.issuer = issuer
        let name = made(OCSP_cert_to_id(EVP_sha1(), certificate.pointer, issuer.pointer))
        self.certificate = name
        let object = made(OCSP_REQUEST_new())
        self.object = object
        must(OCSP_request_add0_id(object, OCSP_CERTID_dup(name)) != nil)
        must(OCSP_request_add1_nonce(object, nil, -1) == 1)
        request = der { i2d_OCSP_REQUEST(object, $0) }
    }

    deinit {
        OCSP_CERTID_free(certificate)
        OCSP_REQUEST_free(object)
    }

    /// Returns the reason why a response does not say that the certificate is good.
    /// - Parameters:
    ///   - response: DER.
    ///   - root: The trusted root of the responder's certificate.
    /// - Returns: Nil for a good certificate.
    package func fault(in response: [UInt8], root: Certificate) -> String? {
        defer { ERR_clear_error() }
        let read = try? Cryptography.object("a response", in: response, free: OCSP_RESPONSE_free) {
            d2i_OCSP_RESPONSE(nil, $0, $1)
        }
        guard let read else { return "the OCSP responder's response cannot be read" }
        defer { OCSP_RESPONSE_free(read) }
        let status = OCSP_response_status(read)
        guard status == OCSP_RESPONSE_STATUS_SUCCESSFUL, let basic = OCSP_response_get1_basic(read) else {
            return "the OCSP responder said \(String(cString: OCSP_response_status_str(Int(status))))"
        }
        defer { OCSP_BASICRESP_free(basic) }
        // Some responders repeat no nonce. A wrong one is another question's.
        guard OCSP_check_nonce(object, basic) != 0 else { return "the OCSP response has another nonce" }
        let trusted = CertificateChain.trusting(root)
        let between = CertificateChain.stack([issuer])
        defer {
            X509_STORE_free(trusted)
            OPENSSL_sk_free(between)
        }
        guard OCSP_basic_verify(basic, between, trusted, 0) == 1 else {
            return "the OCSP response is not signed for the certificate's issuer"
        }
        return fault(of: basic)
    }

    private func fault(of basic: OpaquePointer) -> String? {
        var (status, reason): (Int32, Int32) = (0, 0)
        var revokedAt, thisUpdate, nextUpdate: UnsafeMutablePointer<ASN1_GENERALIZEDTIME>?
        let isFound =
            OCSP_resp_find_status(
                basic, certificate, &status, &reason, &revokedAt, &thisUpdate, &nextUpdate) == 1
        guard isFound else { return "the OCSP response is about other certificates" }
        guard OCSP_check_validity(thisUpdate, nextUpdate, Self.leeway, -1) == 1 else {
            return "the OCSP response is out of date"
        }
        return switch status {
        case V_OCSP_CERTSTATUS_GOOD: nil
        case V_OCSP_CERTSTATUS_REVOKED where reason >= 0:
            "revoked through OCSP, reason: \(String(cString: OCSP_crl_reason_str(Int(reason))))"
        case V_OCSP_CERTSTATUS_REVOKED: "revoked through OCSP"
        default: "the OCSP responder does not know the certificate"
        }
    }
}

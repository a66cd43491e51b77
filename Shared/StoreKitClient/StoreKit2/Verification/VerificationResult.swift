internal import SignedData
internal import StoreModels

/// A value that the store has signed, with the outcome of its verification on this device.
///
/// ```swift
/// for await case .verified(let transaction) in Transaction.currentEntitlements { unlock(transaction.productID) }
/// ```
@frozen public enum VerificationResult<SignedType> {
    /// The value failed a check. Its members are as the payload says.
    case unverified(SignedType, VerificationError)
    /// The value passed every check.
    case verified(SignedType)

    /// The value, if it is verified.
    /// - Throws: ``VerificationError``
    public var payloadValue: SignedType {
        get throws {
            switch self {
            case .unverified(_, let error): throw error
            case .verified(let value): value
            }
        }
    }

    /// The value, whether verified or not.
    public var unsafePayloadValue: SignedType {
        switch self {
        case .unverified(let value, _), .verified(let value): value
        }
    }

    /// The check that a value has failed.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive(warn)
    #endif
    public enum VerificationError: Error {
        case revokedCertificate, invalidCertificateChain, invalidDeviceVerification, invalidEncoding
        case invalidSignature, missingRequiredProperties
    }
}

extension VerificationResult: Sendable where SignedType: Sendable {}
extension VerificationResult: Equatable where SignedType: Equatable {}
extension VerificationResult: Hashable where SignedType: Hashable {}
extension VerificationResult: CustomDebugStringConvertible where SignedType: CustomDebugStringConvertible {
    /// The outcome and the value's payload.
    public var debugDescription: String {
        switch self {
        case .unverified(let value, let error): "unverified (\(error)): \(value.debugDescription)"
        case .verified(let value): "verified: \(value.debugDescription)"
        }
    }
}

extension VerificationResult.VerificationError: Equatable, Hashable, LocalizedError {
    init(_ fault: SignedDataFault) {
        self =
            switch fault {
            case .revokedCertificate: .revokedCertificate
            case .invalidCertificateChain: .invalidCertificateChain
            case .invalidDeviceVerification: .invalidDeviceVerification
            case .invalidEncoding: .invalidEncoding
            case .invalidSignature: .invalidSignature
            case .missingRequiredProperties: .missingRequiredProperties
            }
    }

    /// The same failure of another type's result.
    package init<Other>(_ other: VerificationResult<Other>.VerificationError) {
        self =
            switch other {
            case .revokedCertificate: .revokedCertificate
            case .invalidCertificateChain: .invalidCertificateChain
            case .invalidDeviceVerification: .invalidDeviceVerification
            case .invalidEncoding: .invalidEncoding
            case .invalidSignature: .invalidSignature
            case .missingRequiredProperties: .missingRequiredProperties
            }
    }

    /// The failure, in a sentence.
    public var errorDescription: String? { "The store's signed data could not be verified." }
    /// The check that failed.
    public var failureReason: String? {
        switch self {
        case .revokedCertificate: "A certificate of the chain was revoked."
        case .invalidCertificateChain: "The certificates do not lead to a root that this app trusts."
        case .invalidDeviceVerification: "The data was signed for another device, app or environment."
        case .invalidEncoding: "The data is not a JWS of the store."
        case .invalidSignature: "The signature does not belong to the data."
        case .missingRequiredProperties: "The data lacks required members."
        }
    }
    /// The remedy, in a sentence.
    public var recoverySuggestion: String? {
        self == .invalidCertificateChain ? "Check StoreConnection.rootCertificates and STOREBUS_ROOT." : nil
    }
}

extension VerificationResult where SignedType: SignedValue {
    fileprivate var claims: SignedClaims { unsafePayloadValue.claims }
    fileprivate var document: SignedDocument? { claims.document }
    fileprivate var signed: Data { Data(document?.signedBytes ?? []) }
}

extension VerificationResult where SignedType == Transaction {
    /// The compact JWS, for the app's server.
    public var jwsRepresentation: String { claims.text }
    /// The JWS's header, JSON.
    public var headerData: Data { Data(document?.header ?? []) }
    /// The JWS's payload, JSON.
    public var payloadData: Data { claims.json }
    /// The JWS's signature, two numbers of 32 bytes.
    public var signatureData: Data { Data(document?.signature ?? []) }
    /// The bytes that are signed.
    public var signedData: Data { signed }
    /// The time of signing, by the store's clock.
    public var signedDate: Date { claims.signedDate ?? .distantPast }
    /// The proof that the data is for this device.
    public var deviceVerification: Data { claims.deviceVerification }
    /// The nonce of the proof.
    public var deviceVerificationNonce: UUID { claims.deviceVerificationNonce }
}

extension VerificationResult where SignedType == Product.SubscriptionInfo.RenewalInfo {
    /// The compact JWS, for the app's server.
    public var jwsRepresentation: String { claims.text }
    /// The JWS's header, JSON.
    public var headerData: Data { Data(document?.header ?? []) }
    /// The JWS's payload, JSON.
    public var payloadData: Data { claims.json }
    /// The JWS's signature, two numbers of 32 bytes.
    public var signatureData: Data { Data(document?.signature ?? []) }
    /// The bytes that are signed.
    public var signedData: Data { signed }
    /// The time of signing, by the store's clock.
    public var signedDate: Date { claims.signedDate ?? .distantPast }
    /// The proof that the data is for this device.
    public var deviceVerification: Data { claims.deviceVerification }
    /// The nonce of the proof.
    public var deviceVerificationNonce: UUID { claims.deviceVerificationNonce }
}

extension VerificationResult where SignedType == AppTransaction {
    /// The compact JWS, for the app's server.
    public var jwsRepresentation: String { claims.text }
    /// The JWS's header, JSON.
    public var headerData: Data { Data(document?.header ?? []) }
    /// The JWS's payload, JSON.
    public var payloadData: Data { claims.json }
    /// The JWS's signature, two numbers of 32 bytes.
    public var signatureData: Data { Data(document?.signature ?? []) }
    /// The bytes that are signed.
    public var signedData: Data { signed }
    /// The time of signing, by the store's clock.
    public var signedDate: Date { claims.signedDate ?? .distantPast }
    /// The proof that the data is for this device.
    public var deviceVerification: Data { claims.deviceVerification }
    /// The nonce of the proof.
    public var deviceVerificationNonce: UUID { claims.deviceVerificationNonce }
}

import StoreModels
import SwiftASN1

/// Collects the attributes of a receipt or purchase and writes them as a SET.
struct ReceiptWriting {
    private var attributes: [ReceiptAttribute] = []

    mutating func bytes(_ field: ReceiptField, _ value: [UInt8]) {
        attributes.append(ReceiptAttribute(field, value))
    }

    mutating func text(_ field: ReceiptField, _ value: String) throws {
        try append(field, ASN1UTF8String(value))
    }

    mutating func integer(_ field: ReceiptField, _ value: Int64) throws {
        try append(field, value)
    }

    /// Adds an instant as RFC 3339 in whole seconds, `2026-11-21T10:00:00Z`.
    mutating func date(_ field: ReceiptField, _ value: Timestamp) throws {
        try append(field, ASN1IA5String("\(value.description.prefix(19))Z"))
    }

    private mutating func append(_ field: ReceiptField, _ value: some DERSerializable) throws {
        var serializer = DER.Serializer()
        try serializer.serialize(value)
        bytes(field, serializer.serializedBytes)
    }

    func set() throws -> [UInt8] {
        var serializer = DER.Serializer()
        try serializer.serializeSetOf(attributes)
        return serializer.serializedBytes
    }
}

extension ReceiptDocument {
    /// The SET that is signed.
    /// - Throws: An error for values that a receipt cannot hold, such as an instant after the year 9999.
    func encoded() throws -> [UInt8] {
        var writer = ReceiptWriting()
        try writer.text(.environment, environment.receiptType)
        try writer.text(.bundleId, bundleId)
        try writer.text(.applicationVersion, applicationVersion)
        writer.bytes(.opaqueValue, Array(customerIdentifier.utf8))
        writer.bytes(.hash, hash)
        try writer.date(.creationDate, creationDate)
        for purchase in purchases { writer.bytes(.purchase, try purchase.encoded()) }
        try writer.text(.originalApplicationVersion, originalApplicationVersion)
        if let expirationDate { try writer.date(.expirationDate, expirationDate) }
        return try writer.set()
    }
}

extension ReceiptPurchase {
    fileprivate func encoded() throws -> [UInt8] {
        var writer = ReceiptWriting()
        try writer.integer(.quantity, Int64(quantity))
        try writer.text(.productIdentifier, productIdentifier)
        try writer.text(.transactionIdentifier, transactionIdentifier)
        try writer.date(.purchaseDate, purchaseDate)
        try writer.text(.originalTransactionIdentifier, originalTransactionIdentifier)
        try writer.date(.originalPurchaseDate, originalPurchaseDate)
        try writer.integer(.type, typeNumber)
        if let expiresDate { try writer.date(.expiresDate, expiresDate) }
        if let line = webOrderLineItemIdentifier { try writer.integer(.webOrderLineItemIdentifier, line) }
        if let cancellationDate { try writer.date(.cancellationDate, cancellationDate) }
        try writer.integer(.isTrialPeriod, isTrialPeriod ? 1 : 0)
        if let intro = isInIntroOfferPeriod { try writer.integer(.isInIntroOfferPeriod, intro ? 1 : 0) }
        if let offer = promotionalOfferIdentifier { try writer.text(.promotionalOfferIdentifier, offer) }
        if isUpgraded == true { try writer.integer(.isUpgraded, 1) }
        if isFamilyShared == true { try writer.integer(.isFamilyShared, 1) }
        if let group = subscriptionGroupIdentifier { try writer.text(.subscriptionGroupIdentifier, group) }
        return try writer.set()
    }
}

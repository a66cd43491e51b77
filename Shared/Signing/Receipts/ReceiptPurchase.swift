import StoreModels
import SwiftASN1

/// One purchase in a receipt's binary form. It is less than a ``ReceiptItem``, because Apple's binary form has no place
/// for the reason of a refund or an account token. The subscription group, upgrades and Family Sharing have Storebus's
/// own numbers.
package struct ReceiptPurchase: Hashable, Sendable {
    /// 1…10.
    package var quantity: Int
    /// As bought. The catalogue need not have it any more.
    package var productIdentifier: String
    /// Decimal digits, unique in the store.
    package var transactionIdentifier: String
    /// Business time of this purchase or renewal, in whole seconds.
    package var purchaseDate: Timestamp
    /// The first purchase's identifier. It equals `transactionIdentifier` for that purchase.
    package var originalTransactionIdentifier: String
    /// Business time of the first purchase, in whole seconds.
    package var originalPurchaseDate: Timestamp
    /// Written as one of Apple's observed numbers.
    package var type: ProductType
    /// For subscriptions only, as the line item and `isInIntroOfferPeriod`.
    package var expiresDate: Timestamp?
    /// One per subscription period. Nil for other products.
    package var webOrderLineItemIdentifier: Int64?
    /// The time of its refund or revocation. Nil without either.
    package var cancellationDate: Timestamp?
    /// False for other products than subscriptions.
    package var isTrialPeriod: Bool
    /// Nil for other products than subscriptions.
    package var isInIntroOfferPeriod: Bool?
    /// For promotional offers only. Nil otherwise.
    package var promotionalOfferIdentifier: String?
    /// The group the purchase was made in. Receipts from before Storebus wrote it do not have it.
    package var subscriptionGroupIdentifier: String?
    /// True if another product has taken its place, or else nil.
    package var isUpgraded: Bool?
    /// True if a member of the family shares it, or else nil.
    package var isFamilyShared: Bool?

    /// Cuts instants to seconds and drops values that the form cannot hold.
    package init(_ item: ReceiptItem) {
        quantity = item.quantity
        productIdentifier = item.productIdentifier
        transactionIdentifier = item.transactionIdentifier
        purchaseDate = item.purchaseDate.wholeSeconds
        originalTransactionIdentifier = item.originalTransactionIdentifier
        originalPurchaseDate = item.originalPurchaseDate.wholeSeconds
        type = item.type
        expiresDate = item.expiresDate?.wholeSeconds
        webOrderLineItemIdentifier = item.webOrderLineItemIdentifier.flatMap { Int64($0) }
        cancellationDate = item.cancellationDate?.wholeSeconds
        isTrialPeriod = item.isTrialPeriod ?? false
        isInIntroOfferPeriod = item.type == .autoRenewable ? item.isInIntroOfferPeriod ?? false : nil
        promotionalOfferIdentifier = item.offer?.type == .subscription ? item.offer?.identifier : nil
        subscriptionGroupIdentifier = item.subscriptionGroupIdentifier
        isUpgraded = item.isUpgraded == true ? true : nil
        isFamilyShared = item.isFamilyShared == true ? true : nil
    }

    init(reading reader: ReceiptReading) throws(ReceiptError) {
        quantity = Int(try reader.integer(.quantity))
        productIdentifier = try reader.text(.productIdentifier)
        transactionIdentifier = try reader.text(.transactionIdentifier)
        purchaseDate = try reader.date(.purchaseDate)
        originalTransactionIdentifier = try reader.text(.originalTransactionIdentifier)
        originalPurchaseDate = try reader.date(.originalPurchaseDate)
        type = try Self.type(try reader.integer(.type))
        expiresDate = try reader.dateIfPresent(.expiresDate)
        webOrderLineItemIdentifier = try reader.integerIfPresent(.webOrderLineItemIdentifier)
        cancellationDate = try reader.dateIfPresent(.cancellationDate)
        isTrialPeriod = try reader.flagIfPresent(.isTrialPeriod) ?? false
        isInIntroOfferPeriod = try reader.flagIfPresent(.isInIntroOfferPeriod)
        promotionalOfferIdentifier = try reader.textIfPresent(.promotionalOfferIdentifier)
        subscriptionGroupIdentifier = try reader.textIfPresent(.subscriptionGroupIdentifier)
        isUpgraded = try reader.flagIfPresent(.isUpgraded)
        isFamilyShared = try reader.flagIfPresent(.isFamilyShared)
    }

    /// The purchase as far as the receipt says it.
    package var item: ReceiptItem {
        with(
            ReceiptItem(
                transactionIdentifier: transactionIdentifier,
                originalTransactionIdentifier: originalTransactionIdentifier, productIdentifier: productIdentifier,
                type: type, quantity: quantity, purchaseDate: purchaseDate, originalPurchaseDate: originalPurchaseDate,
                expiresDate: expiresDate, subscriptionGroupIdentifier: subscriptionGroupIdentifier)
        ) {
            $0.webOrderLineItemIdentifier = webOrderLineItemIdentifier.map(String.init)
            $0.isTrialPeriod = type == .autoRenewable ? isTrialPeriod : nil
            $0.isInIntroOfferPeriod = isInIntroOfferPeriod
            $0.isUpgraded = isUpgraded
            $0.isFamilyShared = isFamilyShared
            $0.cancellationDate = cancellationDate
        }
    }

    /// Attribute 1707. Apple does not document its numbers. These are the ones observed in receipts.
    private static let types: [ProductType] = [.nonConsumable, .consumable, .nonRenewable, .autoRenewable]

    var typeNumber: Int64 {
        // The list contains every type.
        Int64(Self.types.firstIndex(of: type)!)
    }

    private static func type(_ number: Int64) throws(ReceiptError) -> ProductType {
        guard let index = Int(exactly: number), types.indices.contains(index) else { throw .malformed }
        return types[index]
    }
}

/// The attributes of a receipt, or of a purchase in it, by their number.
///
/// Unknown numbers are skipped, as Apple asks readers to do. A known attribute must occur once, or at most once where
/// it is optional.
struct ReceiptReading {
    private var attributes: [Int64: [ArraySlice<UInt8>]] = [:]

    init(_ bytes: ArraySlice<UInt8>) throws(ReceiptError) {
        let found: [ReceiptAttribute]
        do {
            found = try DER.set(of: ReceiptAttribute.self, identifier: .set, rootNode: DER.parse(bytes))
        } catch {
            throw .malformed
        }
        for attribute in found { attributes[attribute.type, default: []].append(attribute.value) }
    }

    /// All values of an attribute that may occur any number of times.
    func all(_ field: ReceiptField) -> [ArraySlice<UInt8>] { attributes[field.rawValue] ?? [] }

    func bytes(_ field: ReceiptField) throws(ReceiptError) -> ArraySlice<UInt8> { try bytesIfPresent(field).present() }
    func text(_ field: ReceiptField) throws(ReceiptError) -> String { try textIfPresent(field).present() }
    func integer(_ field: ReceiptField) throws(ReceiptError) -> Int64 { try integerIfPresent(field).present() }
    func date(_ field: ReceiptField) throws(ReceiptError) -> Timestamp { try dateIfPresent(field).present() }

    func textIfPresent(_ field: ReceiptField) throws(ReceiptError) -> String? {
        guard let value = try valueIfPresent(field, ASN1UTF8String.self) else { return nil }
        guard let text = String(validating: value.bytes, as: UTF8.self) else { throw .malformed }
        return text
    }

    func integerIfPresent(_ field: ReceiptField) throws(ReceiptError) -> Int64? {
        try valueIfPresent(field, Int64.self)
    }

    func flagIfPresent(_ field: ReceiptField) throws(ReceiptError) -> Bool? {
        try integerIfPresent(field).map { $0 != 0 }
    }

    func dateIfPresent(_ field: ReceiptField) throws(ReceiptError) -> Timestamp? {
        guard let value = try valueIfPresent(field, ASN1IA5String.self) else { return nil }
        guard let date = Timestamp(String(decoding: value.bytes, as: UTF8.self)) else { throw .malformed }
        return date
    }

    private func valueIfPresent<Value: DERParseable>(
        _ field: ReceiptField, _ type: Value.Type
    ) throws(ReceiptError) -> Value? {
        guard let bytes = try bytesIfPresent(field) else { return nil }
        do {
            return try Value(derEncoded: DER.parse(bytes))
        } catch {
            throw .malformed
        }
    }

    private func bytesIfPresent(_ field: ReceiptField) throws(ReceiptError) -> ArraySlice<UInt8>? {
        let values = all(field)
        guard values.count <= 1 else { throw .malformed }
        return values.first
    }
}

extension Optional {
    /// - Throws: `malformed` without a value.
    fileprivate func present() throws(ReceiptError) -> Wrapped {
        guard let self else { throw .malformed }
        return self
    }
}

extension ReceiptDocument {
    /// Reads a receipt's signed content.
    /// - Throws: `malformed`, also for a hash that is not the content's.
    init(encoded: ArraySlice<UInt8>) throws(ReceiptError) {
        let reader = try ReceiptReading(encoded)
        guard let environment = ReceiptEnvironment(receiptType: try reader.text(.environment)),
            let customer = String(validating: try reader.bytes(.opaqueValue), as: UTF8.self)
        else { throw .malformed }
        var purchases: [ReceiptPurchase] = []
        for bytes in reader.all(.purchase) { purchases.append(try ReceiptPurchase(reading: ReceiptReading(bytes))) }
        self.init(
            environment: environment, bundleId: try reader.text(.bundleId),
            applicationVersion: try reader.text(.applicationVersion), customerIdentifier: customer,
            creationDate: try reader.date(.creationDate),
            originalApplicationVersion: try reader.text(.originalApplicationVersion),
            expirationDate: try reader.dateIfPresent(.expirationDate), purchases: purchases)
        guard try reader.bytes(.hash) == hash[...] else { throw .malformed }
    }
}

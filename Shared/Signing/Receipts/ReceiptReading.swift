import StoreModels
import SwiftASN1

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

    func bytes(_ field: ReceiptField) throws(ReceiptError) -> ArraySlice<UInt8> {
        guard let value = try bytesIfPresent(field) else { throw .malformed }
        return value
    }

    func text(_ field: ReceiptField) throws(ReceiptError) -> String {
        guard let value = try textIfPresent(field) else { throw .malformed }
        return value
    }

    func integer(_ field: ReceiptField) throws(ReceiptError) -> Int64 {
        guard let value = try integerIfPresent(field) else { throw .malformed }
        return value
    }

    func date(_ field: ReceiptField) throws(ReceiptError) -> Timestamp {
        guard let value = try dateIfPresent(field) else { throw .malformed }
        return value
    }

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

import Cryptography
import StoreModels
import StorebusTesting
import SwiftASN1
import Testing

@testable import Signing

@Suite struct ReceiptDocumentTests {
    @Test func `what is written is read, in whole seconds`() throws {
        var random = SplitMix64.seeded()
        for count in [0, 1, 2, 7, 60] {
            let written = SigningSample.document((0..<count).map { SigningSample.item($0, &random) })
            let read = try ReceiptDocument(encoded: written.encoded()[...])
            #expect(Set(read.purchases) == Set(written.purchases))
            var other = read
            other.purchases = written.purchases
            #expect(other == written)
        }
    }

    @Test func `the attributes have Apple's numbers and types`() throws {
        let bytes = try SigningSample.document([SigningSample.trial]).encoded()
        let attributes = try attributes(bytes)
        #expect(attributes.keys.sorted() == [0, 2, 3, 4, 5, 12, 17, 19])
        func text(_ type: Int64) throws -> ASN1Node { try DER.parse(try #require(attributes[type])) }
        #expect(try ASN1UTF8String(derEncoded: text(0)) == "ProductionSandbox")
        #expect(try ASN1UTF8String(derEncoded: text(2)) == "com.example.app")
        #expect(try ASN1UTF8String(derEncoded: text(3)) == "1.2")
        #expect(attributes[4].map { String(decoding: $0, as: UTF8.self) } == "c_alice")
        #expect(try ASN1IA5String(derEncoded: text(12)) == "2026-11-25T09:46:40Z")
        #expect(try ASN1UTF8String(derEncoded: text(19)) == "1.0")
        let hash = Insecure.SHA1.hash(data: "c_alicecom.example.app".utf8)
        #expect(attributes[5].map(Array.init) == Array(hash))
        let purchase = try self.attributes(Array(try #require(attributes[17])))
        #expect(purchase.keys.sorted() == [1701, 1702, 1703, 1704, 1705, 1706, 1707, 1708, 1711, 1713, 1719, 17900])
        #expect(try ASN1IA5String(derEncoded: DER.parse(try #require(purchase[1708]))) == "2026-12-09T09:46:40Z")
        #expect(try Int64(derEncoded: DER.parse(try #require(purchase[1711]))) == 1_000_000_000_000_001)
        #expect(try Int64(derEncoded: DER.parse(try #require(purchase[1713]))) == 1)
        #expect(try Int64(derEncoded: DER.parse(try #require(purchase[1719]))) == 0)
    }

    @Test func `a customer without purchases has a receipt without any (M139)`() throws {
        let read = try ReceiptDocument(encoded: SigningSample.document([]).encoded()[...])
        #expect(read.purchases.isEmpty)
    }

    @Test func `unknown attributes are ignored`() throws {
        var serializer = DER.Serializer()
        let document = SigningSample.document([])
        let known = try DER.set(
            of: ReceiptAttribute.self, identifier: .set, rootNode: DER.parse(try document.encoded()))
        var unknown = ReceiptAttribute(.hash, [1, 2, 3])
        unknown.type = 4711
        try serializer.serializeSetOf(known + [unknown])
        #expect(try ReceiptDocument(encoded: serializer.serializedBytes[...]) == document)
    }

    @Test(arguments: ReceiptField.allCases.prefix(9).filter { $0 != .purchase && $0 != .expirationDate })
    func `a missing or repeated attribute makes no receipt`(field: ReceiptField) throws {
        let all = try DER.set(
            of: ReceiptAttribute.self, identifier: .set, rootNode: DER.parse(try SigningSample.document().encoded()))
        let others = all.filter { $0.type != field.rawValue }
        for attributes in [others, all + all.filter { $0.type == field.rawValue }] {
            var serializer = DER.Serializer()
            try serializer.serializeSetOf(attributes)
            let bytes = serializer.serializedBytes
            #expect(throws: ReceiptError.malformed) { try ReceiptDocument(encoded: bytes[...]) }
        }
    }

    @Test func `any bytes are a receipt or malformed, and never a crash`() throws {
        var random = SplitMix64.seeded()
        let bytes = try SigningSample.document().encoded()
        for _ in 0..<4000 {
            var changed = bytes
            for _ in 0...Int.random(in: 0...3, using: &random) {
                changed[Int.random(in: changed.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            let cut = changed.prefix(Int.random(in: 0...changed.count, using: &random))
            for input in [changed[...], cut] {
                do throws(ReceiptError) {
                    _ = try ReceiptDocument(encoded: input)
                } catch {
                    #expect(error == .malformed)
                }
            }
        }
    }

    @Test func `a purchase is an item again, as far as a receipt says`() throws {
        let item = ReceiptPurchase(SigningSample.trial).item
        #expect(item.subscriptionGroupIdentifier == SigningSample.trial.subscriptionGroupIdentifier)
        #expect(item.isUpgraded == nil)
        var upgraded = SigningSample.trial
        upgraded.isUpgraded = true
        let read = try ReceiptDocument(encoded: SigningSample.document([upgraded]).encoded()[...]).purchases
        #expect(read.map(\.item.isUpgraded) == [true])
        var shared = SigningSample.trial
        shared.isFamilyShared = true
        let sharedRead = try ReceiptDocument(encoded: SigningSample.document([shared]).encoded()[...]).purchases
        #expect(sharedRead.map(\.item.isFamilyShared) == [true] && item.isFamilyShared == nil)
        #expect(item.isTrialPeriod == true)
        #expect(item.expiresDate == SigningSample.trial.expiresDate)
        #expect(item.webOrderLineItemIdentifier == SigningSample.trial.webOrderLineItemIdentifier)
        #expect(ReceiptPurchase(item) == ReceiptPurchase(SigningSample.trial))
    }

    @Test(arguments: [(1_999, 1_000), (0, 0), (-1, -1_000), (-1_000, -1_000)])
    func `instants are cut to the second`(milliseconds: Int64, expected: Int64) {
        #expect(Timestamp(milliseconds: milliseconds).wholeSeconds.milliseconds == expected)
    }

    private func attributes(_ bytes: [UInt8]) throws -> [Int64: ArraySlice<UInt8>] {
        let all = try DER.set(of: ReceiptAttribute.self, identifier: .set, rootNode: DER.parse(bytes))
        return Dictionary(all.map { ($0.type, $0.value) }, uniquingKeysWith: { first, _ in first })
    }
}

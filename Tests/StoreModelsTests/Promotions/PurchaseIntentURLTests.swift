import StoreModels
import StorebusTesting
import Testing

/// Goal: the test URL is read to the letter, and each fault is named (M106, L15).
/// Method: a table of faults, then random identifiers there and back and random damage.
@Suite struct PurchaseIntentURLTests {
    private static let valid =
        "itms-services://?action=purchaseIntent&bundleId=com.example.app&productIdentifier=product_name"

    @Test func `M106, L15: the article's URL is read, and written the same`() throws {
        let url = try PurchaseIntentURL(parsing: Self.valid)
        #expect(url == PurchaseIntentURL(bundleId: "com.example.app", productIdentifier: "product_name"))
        #expect("\(url)" == Self.valid)
    }

    @Test func `M106: the parameters may come in any order, percent-encoded, and the scheme in capitals`() throws {
        let url = try PurchaseIntentURL(
            parsing: "ITMS-Services://?productIdentifier=a%20b%26c%3D%C3%A9+1&bundle%49d=com.example.app"
                + "&action=purchase%49ntent")
        #expect(url == PurchaseIntentURL(bundleId: "com.example.app", productIdentifier: "a b&c=é+1"))
        #expect(
            "\(url)"
                == "itms-services://?action=purchaseIntent&bundleId=com.example.app"
                + "&productIdentifier=a%20b%26c%3D%C3%A9%2B1")
    }

    struct Fault: Sendable, CustomTestStringConvertible {
        let url: String
        let part: PurchaseIntentURLFault.Part
        let kind: PurchaseIntentURLFault.Kind
        var testDescription: String { String(url.prefix(90)) }
        init(_ url: String, _ part: PurchaseIntentURLFault.Part, _ kind: PurchaseIntentURLFault.Kind) {
            (self.url, self.part, self.kind) = (url, part, kind)
        }
    }

    private static func query(_ query: String) -> String { "itms-services://?" + query }

    static let faults: [Fault] = [
        Fault("", .scheme, .wrong),
        Fault("itms-services", .scheme, .wrong),
        Fault("https://?action=purchaseIntent&bundleId=a&productIdentifier=p", .scheme, .wrong),
        Fault("itms-apps://?action=purchaseIntent&bundleId=a&productIdentifier=p", .scheme, .wrong),
        Fault(" \(valid)", .scheme, .wrong),
        Fault("itms-services:?action=purchaseIntent&bundleId=a&productIdentifier=p", .host, .missing),
        Fault("itms-services:/?action=purchaseIntent&bundleId=a&productIdentifier=p", .host, .missing),
        Fault("itms-services://host?action=purchaseIntent&bundleId=a&productIdentifier=p", .host, .wrong),
        Fault("itms-services:///?action=purchaseIntent&bundleId=a&productIdentifier=p", .host, .wrong),
        Fault("itms-services://:80?action=purchaseIntent&bundleId=a&productIdentifier=p", .host, .wrong),
        Fault(valid + "#top", .fragment, .unknown),
        Fault("itms-services://#?action=purchaseIntent&bundleId=a&productIdentifier=p", .fragment, .unknown),
        Fault("itms-services://", .action, .missing),
        Fault(query(""), .action, .missing),
        Fault(query("bundleId=a&productIdentifier=p"), .action, .missing),
        Fault(query("action=&bundleId=a&productIdentifier=p"), .action, .missing),
        Fault(query("action=purchase&bundleId=a&productIdentifier=p"), .action, .wrong),
        Fault(query("action=purchaseintent&bundleId=a&productIdentifier=p"), .action, .wrong),
        Fault(query("action=download-manifest&bundleId=a&productIdentifier=p"), .action, .wrong),
        Fault(query("action=purchaseIntent&productIdentifier=p"), .bundleId, .missing),
        Fault(query("action=purchaseIntent&bundleId=&productIdentifier=p"), .bundleId, .missing),
        Fault(query("action=purchaseIntent&bundleId=a"), .productIdentifier, .missing),
        Fault(query("action=purchaseIntent&bundleId=a&productIdentifier="), .productIdentifier, .missing),
        Fault(query("action=purchaseIntent&action=purchaseIntent&bundleId=a&productIdentifier=p"), .action, .duplicate),
        Fault(query("action=purchaseIntent&bundleId=a&bundleId=a&productIdentifier=p"), .bundleId, .duplicate),
        Fault(
            query("action=purchaseIntent&bundleId=a&productIdentifier=p&productIdentifier=q"), .productIdentifier,
            .duplicate),
        Fault(query("action=purchaseIntent&bundleId=a&productIdentifier=p&price=0"), .parameter, .unknown),
        Fault(query("action=purchaseIntent&bundleID=a&productIdentifier=p"), .parameter, .unknown),
        Fault(query("action=purchaseIntent&bundleId=a&productIdentifier=p&"), .parameter, .unreadable),
        Fault(query("action=purchaseIntent&&bundleId=a&productIdentifier=p"), .parameter, .unreadable),
        Fault(query("action=purchaseIntent&bundleId&productIdentifier=p"), .parameter, .unreadable),
        Fault(query("action=purchaseIntent&bundleId=a&productIdentifier=a b"), .productIdentifier, .unreadable),
        Fault(query("action=purchaseIntent&bundleId=a&productIdentifier=é"), .productIdentifier, .unreadable),
        Fault(query("action=purchaseIntent&bundleId=a&productIdentifier=%"), .productIdentifier, .unreadable),
        Fault(query("action=purchaseIntent&bundleId=a&productIdentifier=%4"), .productIdentifier, .unreadable),
        Fault(query("action=purchaseIntent&bundleId=a&productIdentifier=%zz"), .productIdentifier, .unreadable),
        Fault(query("action=purchaseIntent&bundleId=a&productIdentifier=%C3"), .productIdentifier, .unreadable),
        Fault(query("action=purchaseIntent&bundleId=a&productIdentifier=%00"), .productIdentifier, .unreadable),
        Fault(valid + String(repeating: "x", count: 2_048), .url, .tooLong),
    ]

    @Test(arguments: faults) func `M106: each fault is named`(_ fault: Fault) throws {
        do {
            let url = try PurchaseIntentURL(parsing: fault.url)
            Issue.record("was read as \(url)")
        } catch {
            #expect(error.part == fault.part)
            #expect(error.kind == fault.kind)
            #expect(error.storeError.code == .urlInvalid)
            #expect(error.storeError.status == 422)
            #expect(error.storeError.details["part"] == .string(fault.part.rawValue))
            #expect(error.storeError.message.hasPrefix(fault.part.rawValue))
        }
    }

    @Test func `M106: what is written is read back, with any identifiers`() throws {
        var random = SplitMix64.seeded()
        let letters = Array("abcXYZ019-._~ %&=?#/+:@éß漢🎮\u{301}")
        for _ in 0..<5_000 {
            func identifier() -> String {
                String(
                    (0..<Int.random(in: 1...20, using: &random)).map { _ in
                        letters[Int.random(in: 0..<letters.count, using: &random)]
                    })
            }
            let url = PurchaseIntentURL(bundleId: identifier(), productIdentifier: identifier())
            let read = try PurchaseIntentURL(parsing: "\(url)")
            #expect(Array(read.bundleId.utf8) == Array(url.bundleId.utf8))
            #expect(Array(read.productIdentifier.utf8) == Array(url.productIdentifier.utf8))
        }
    }

    @Test func `a damaged URL is refused, or is another one that reads back as itself`() throws {
        var random = SplitMix64.seeded()
        for _ in 0..<20_000 {
            var bytes = Array(Self.valid.utf8)
            let place = Int.random(in: 0..<bytes.count, using: &random)
            bytes[place] = UInt8.random(in: 0x20...0x7E, using: &random)
            let text = String(decoding: bytes, as: UTF8.self)
            guard let url = try? PurchaseIntentURL(parsing: text) else { continue }
            #expect(try PurchaseIntentURL(parsing: "\(url)") == url)
        }
    }
}

import StoreModels
import StorebusTesting
import Testing

/// Goal: each platform has promoted purchases, and `PurchaseIntent`, from the version on that Apple names, and a
/// refusal says which (M58–M60, M71, M75).
@Suite struct PromotionSupportTests {
    typealias Platform = DeviceLaunch.Platform

    struct Row: Sendable {
        let platform: Platform
        let version: String
        let promotions: Bool
        let intents: Bool
    }

    static let rows: [Row] = [
        Row(platform: .iOS, version: "10.3.4", promotions: false, intents: false),
        Row(platform: .iOS, version: "11", promotions: true, intents: false),
        Row(platform: .iOS, version: "16.3.9", promotions: true, intents: false),
        Row(platform: .iOS, version: "16.4", promotions: true, intents: true),
        Row(platform: .iOS, version: "16.10", promotions: true, intents: true),
        Row(platform: .iPadOS, version: "16.4", promotions: true, intents: true),
        Row(platform: .iPadOS, version: "10.0", promotions: false, intents: false),
        Row(platform: .macOS, version: "10.15.7", promotions: false, intents: false),
        Row(platform: .macOS, version: "11.0", promotions: true, intents: false),
        Row(platform: .macOS, version: "14.4.0", promotions: true, intents: true),
        Row(platform: .tvOS, version: "10.2", promotions: false, intents: false),
        Row(platform: .tvOS, version: "17.4", promotions: true, intents: false),
        Row(platform: .watchOS, version: "6.1.3", promotions: false, intents: false),
        Row(platform: .watchOS, version: "6.2", promotions: true, intents: false),
        Row(platform: .visionOS, version: "1.0", promotions: true, intents: true),
        Row(platform: .visionOS, version: "0.9", promotions: true, intents: false),
        Row(platform: .iOSAppOnVisionOS, version: "2.0", promotions: false, intents: false),
        Row(platform: .other, version: "0.1", promotions: true, intents: true),
    ]

    @Test(arguments: rows) func `M58, M59, M71: what a platform and its version have`(_ row: Row) {
        let promotions = PromotionSupport.promotionsUnsupported(platform: row.platform, osVersion: row.version)
        let intents = PromotionSupport.purchaseIntentUnsupported(platform: row.platform, osVersion: row.version)
        #expect((promotions == nil) == row.promotions)
        #expect((intents == nil) == row.intents)
    }

    @Test func `M59: a refusal names what is needed and what is there`() throws {
        let intents = try #require(PromotionSupport.purchaseIntentUnsupported(platform: .iOS, osVersion: "16.3"))
        #expect(intents.contains("iOS 16.4") && intents.contains("iOS 16.3") && intents.contains("delegate"))
        let promotions = try #require(PromotionSupport.promotionsUnsupported(platform: .watchOS, osVersion: "6.1"))
        #expect(promotions.contains("watchOS 6.2") && promotions.contains("watchOS 6.1"))
    }

    @Test(arguments: Platform.allCases) func `every refusal is a sentence`(_ platform: Platform) {
        for version in ["0", "x", "99"] {
            for reason in [
                PromotionSupport.promotionsUnsupported(platform: platform, osVersion: version),
                PromotionSupport.purchaseIntentUnsupported(platform: platform, osVersion: version),
            ] { #expect(reason.map { $0.hasSuffix(".") && $0.count > 30 } ?? true) }
        }
    }

    @Test func `a version that cannot be read has promotions, and no PurchaseIntent where that needs a version`() throws
    {
        #expect(PromotionSupport.promotionsUnsupported(platform: .iOS, osVersion: "beta") == nil)
        let reason = try #require(PromotionSupport.purchaseIntentUnsupported(platform: .iOS, osVersion: "17.x"))
        #expect(reason.contains("'17.x'"))
        #expect(PromotionSupport.purchaseIntentUnsupported(platform: .other, osVersion: "beta") == nil)
    }

    @Test func `M75: an app is too old before the version that handles promoted purchases`() {
        #expect(PromotionSupport.isTooOld(appVersion: "1.9", since: "2"))
        #expect(!PromotionSupport.isTooOld(appVersion: "2.0", since: "2"))
        #expect(!PromotionSupport.isTooOld(appVersion: "1.10", since: "1.9"))
        #expect(!PromotionSupport.isTooOld(appVersion: "1.0", since: nil))
        #expect(!PromotionSupport.isTooOld(appVersion: "mine", since: "2"))
    }

    @Test func `versions compare part by part, as numbers`() throws {
        let texts = ["0", "0.9", "1", "1.0.1", "1.2", "1.10", "2", "16.4", "16.4.1", "16.10", "100"]
        let versions = try texts.map { try #require(DottedVersion($0)) }
        #expect(versions.sorted() == versions)
        #expect(DottedVersion("16") == DottedVersion("16.0.0"))
        #expect(DottedVersion("016.04") == DottedVersion(16, 4))
        #expect(DottedVersion(11).description == "11.0")
        #expect(DottedVersion("10.3.3")?.description == "10.3.3")
    }

    @Test(arguments: [
        "", ".", "1.", ".1", "1..2", "1.a", "v1", "-1", "+1", " 1", "1 ", "1,2", "٣", "99999999999999999999",
        String(repeating: "1.", count: 40) + "1",
    ]) func `what is no version is none`(_ text: String) {
        #expect(DottedVersion(text) == nil)
    }

    @Test func `random versions are ordered as their parts are`() {
        var random = SplitMix64.seeded()
        for _ in 0..<5_000 {
            func parts() -> [Int] {
                (0..<Int.random(in: 1...4, using: &random)).map { _ in Int.random(in: 0...12, using: &random) }
            }
            func padded(_ parts: [Int]) -> [Int] { parts + Array(repeating: 0, count: 4 - parts.count) }
            let (left, right) = (parts(), parts())
            let (a, b) = (
                DottedVersion(left.map(String.init).joined(separator: ".")),
                DottedVersion(right.map(String.init).joined(separator: "."))
            )
            guard let a, let b else {
                Issue.record("\(left) or \(right) was not read")
                continue
            }
            #expect((a == b) == (padded(left) == padded(right)))
            #expect((a < b) == padded(left).lexicographicallyPrecedes(padded(right)))
        }
    }
}

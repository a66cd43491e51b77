import StoreModels
import Testing

@testable import Catalog

/// Goal: exactly the offers App Store Connect sells can be imported (M113–M116).
/// Method: the whole table, mode × the subscription's period × the offer's period × count, against the durations as a
/// person reads them there.
@Suite struct OfferDurationTests {
    typealias Mode = ProductDiscount.PaymentMode

    private static let subscriptions = ["P1W", "P1M", "P2M", "P3M", "P6M", "P1Y"]
    private static let offerPeriods = ["P1D", "P3D", "P7D", "P1W", "P2W", "P1M", "P2M", "P3M", "P6M", "P12M", "P1Y"]

    /// What a whole offer may last, in the words of App Store Connect.
    private static func durations(_ mode: Mode, _ subscription: String) -> [String] {
        switch (mode, subscription) {
        case (.freeTrial, _): words("3D 1W 2W 1M 2M 3M 6M 1Y")
        case (.payUpFront, _): words("1M 2M 3M 6M 1Y")
        case (.payAsYouGo, "P1W"): words("1W 2W 3W 4W 5W 6W 7W 8W 9W 10W 11W 12W")
        case (.payAsYouGo, "P1M"): words("1M 2M 3M 4M 5M 6M 7M 8M 9M 10M 11M 1Y")
        case (.payAsYouGo, "P2M"): words("2M 4M 6M 8M 10M 1Y")
        case (.payAsYouGo, "P3M"): words("3M 6M 9M 1Y")
        case (.payAsYouGo, "P6M"): words("6M 1Y")
        default: words("1Y")
        }
    }

    private static func words(_ text: String) -> [String] { text.split(separator: " ").map { "P\($0)" } }

    @Test(arguments: Mode.allCases, subscriptions)
    func `M113–M116: exactly App Store Connect's durations are allowed`(mode: Mode, own: String) throws {
        let allowed = Set(Self.durations(mode, own))
        let subscription = try #require(SubscriptionPeriod(iso8601: own))
        var reached: Set<String> = []
        for text in Self.offerPeriods {
            let period = try #require(SubscriptionPeriod(iso8601: text))
            for count in 1...14 {
                let whole = period.times(count).canonical.iso8601
                let isCharged = mode != .payAsYouGo || period.canonical == subscription
                let objection = OfferRules.objection(to: mode, period: period, count: count, subscription: subscription)
                #expect((objection == nil) == (isCharged && allowed.contains(whole)), "\(text) × \(count) of \(own)")
                if objection == nil { reached.insert(whole) }
            }
        }
        #expect(reached == allowed, "\(mode) of \(own)")
    }

    @Test(arguments: ["introductoryOffer", "adHocOffers", "codeOffers", "winbackOffers"])
    func `every kind of offer has the same durations`(member: String) throws {
        func read(_ mode: String, _ period: String, count: Int) throws {
            let name: [String: JSONValue] = ["offerID": "x", "referenceName": "x"]
            let offer = FileBuilder.offer(mode, period, count: count, price: mode == "free" ? nil : "1", name)
            let value: JSONValue = member == "introductoryOffer" ? offer : [offer]
            _ = try StoreKitFileReader.read(
                try StoreJSON.encode(FileBuilder.file(subscriptions: [FileBuilder.subscription("s", [member: value])])),
                fileName: "App.storekit")
        }
        try read("free", "P2W", count: 1)
        try read("payUpFront", "P1M", count: 6)
        try read("payAsYouGo", "P1M", count: 12)
        for (mode, period, count) in [("free", "P3W", 1), ("payUpFront", "P1M", 4), ("payAsYouGo", "P1M", 13)] {
            #expect("\(mode) \(period) × \(count)") {
                try read(mode, period, count: count)
            } throws: { error in
                (error as? StoreError)?.code == .catalogInvalid && "\(error)".contains(member)
            }
        }
    }
}

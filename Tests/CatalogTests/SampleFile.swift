import Foundation
import Testing

/// One of the real files of `Tests/Samples/storekit`, and what an independent reader finds in it: Foundation's, with
/// none of the importer's code.
struct SampleFile: Sendable, CustomTestStringConvertible {
    struct Item: Sendable {
        let productIdentifier: String
        let displayPrice: String
        let referenceName: String
        let period: String?
        let groupIdentifier: String?
        let introductoryMode: String?
        let promotionalOffers: Int
        let offerCodes: Int
    }

    let name: String
    let bytes: [UInt8]
    let items: [Item]
    let groupCount: Int

    var testDescription: String { name }

    static let all: [SampleFile] = {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Samples/storekit")
        let files = (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
        return files.filter { $0.pathExtension == "storekit" }.compactMap { try? SampleFile($0) }
            .sorted { $0.name < $1.name }
    }()

    private init(_ url: URL) throws {
        let data = try Data(contentsOf: url)
        let root = try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
        let groups = root["subscriptionGroups"] as? [[String: Any]] ?? []
        name = url.lastPathComponent
        bytes = Array(data)
        groupCount = groups.count
        let plain = ["products", "nonRenewingSubscriptions"].flatMap { root[$0] as? [[String: Any]] ?? [] }
        items =
            plain.map { Item($0, group: nil) }
            + groups.flatMap { group in
                (group["subscriptions"] as? [[String: Any]] ?? []).map { Item($0, group: group["id"] as? String) }
            }
    }
}

extension SampleFile.Item {
    init(_ json: [String: Any], group: String?) {
        productIdentifier = json["productID"] as? String ?? ""
        displayPrice = json["displayPrice"] as? String ?? ""
        referenceName = json["referenceName"] as? String ?? ""
        period = json["recurringSubscriptionPeriod"] as? String
        groupIdentifier = group
        introductoryMode = (json["introductoryOffer"] as? [String: Any])?["paymentMode"] as? String
        promotionalOffers = (json["adHocOffers"] as? [Any])?.count ?? 0
        offerCodes = (json["codeOffers"] as? [Any])?.count ?? 0
    }

    /// The price as text, by decimal arithmetic of Foundation's own.
    func price(fractionDigits: Int) -> String {
        var value = Decimal(string: displayPrice, locale: Locale(identifier: "en_US_POSIX")) ?? -1
        var rounded = Decimal()
        NSDecimalRound(&rounded, &value, fractionDigits, .plain)
        let formatter = NumberFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.minimumFractionDigits = fractionDigits
        formatter.maximumFractionDigits = fractionDigits
        formatter.minimumIntegerDigits = 1
        return formatter.string(from: rounded as NSDecimalNumber) ?? ""
    }
}

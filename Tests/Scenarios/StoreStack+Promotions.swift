import NIOHTTP1
import StoreModels
import StorebusTesting

/// What the operator does: the first article's step 1, in App Store Connect.
extension StoreStack {
    static let app = "com.example.app"
    static let appPath = "/admin/v1/apps/com.example.app"

    /// The sample catalogue's products, by the names the articles have for them.
    enum Products {
        static let beaches = "com.example.hiddenBeaches"
        static let fishing = "com.example.fishingHotSpots"
        static let pro = "com.example.pro.monthly"
        static let yearly = "com.example.pro.yearly"
    }

    /// Default order and visibility (M67, M68).
    @discardableResult
    func promote(_ products: [String], hidden: Set<String> = []) async throws -> PromotionSetup {
        try await must(
            .PUT, "\(Self.appPath)/promotions",
            .array(
                products.map { .object(["productIdentifier": .string($0), "visible": .bool(!hidden.contains($0))]) })
        ).decoded()
    }

    /// Puts a promotional image; it waits for its review (M66).
    func putImage(_ image: [UInt8], of product: String) async throws -> Answer {
        try await request(
            .PUT, "\(Self.appPath)/products/\(product)/promotion-image", token: adminKey, body: image)
    }

    /// - Parameter verdict: `approve` or `reject`.
    @discardableResult
    func review(_ product: String, _ verdict: String, reason: String? = nil) async throws -> PromotionImage {
        try await must(
            .POST, "\(Self.appPath)/products/\(product)/promotion-image/\(verdict)",
            reason.map { .object(["reason": .string($0)]) }
        ).decoded()
    }

    /// The whole set-up: images that were approved, and the list.
    func setUpPromotions(_ products: [String], hidden: Set<String> = []) async throws {
        for product in products {
            let image = try await putImage(Images.png(), of: product)
            guard image.status == 200 else { throw StackError("image: \(image.status) \(image.text)") }
            try await review(product, "approve")
        }
        let setup = try await promote(products, hidden: hidden)
        guard setup.promotions.allSatisfy(\.promoted) else { throw StackError("not promoted: \(setup)") }
    }

    /// What the operator says of the app; the rest are the defaults.
    func putApp(_ settings: [String: JSONValue]) async throws {
        try await must(.PUT, Self.appPath, .object(settings.merging(["name": "Example"]) { one, _ in one }))
    }

    /// The operator's list of intents, of all devices of an account.
    func intents(of account: String) async throws -> [StorePurchaseIntent] {
        try await must(.GET, "/admin/v1/intents?account=\(account)").decoded(as: IntentsPage.self).intents
    }

    /// What waits for a person.
    func prompts(of account: String) async throws -> [Prompt] {
        try await must(.GET, "/admin/v1/prompts?account=\(account)").decoded(as: PromptsPage.self).prompts
    }

    func answer(_ prompt: Prompt, _ answer: String) async throws {
        try await must(.POST, "/admin/v1/prompts/\(prompt.id)", .object(["answer": .string(answer)]))
    }

    func setTester(_ account: String, _ settings: [String: JSONValue]) async throws {
        try await must(.PUT, "/admin/v1/testers/\(account)", .object(settings))
    }
}

/// Image files of which only the header is ever looked at.
enum Images {
    static func png(width: Int = 1024, height: Int = 1024) -> [UInt8] {
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + four(13) + Array("IHDR".utf8) + four(width) + four(height)
            + [8, 2, 0, 0, 0] + four(0) + four(0) + Array("IEND".utf8) + four(0)
    }

    /// A baseline image: its frame header, a scan of three bytes, and the end.
    static func jpeg(width: Int = 1024, height: Int = 1024) -> [UInt8] {
        [0xFF, 0xD8, 0xFF, 0xC0] + two(17) + [8] + two(height) + two(width) + [3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1]
            + [0xFF, 0xDA, 0, 2, 1, 2, 3, 0xFF, 0xD9]
    }

    private static func two(_ number: Int) -> [UInt8] { [UInt8(number >> 8 & 0xFF), UInt8(number & 0xFF)] }
    private static func four(_ number: Int) -> [UInt8] { two(number >> 16) + two(number) }
}

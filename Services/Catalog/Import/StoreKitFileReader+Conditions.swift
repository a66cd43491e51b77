import StoreModels

extension StoreKitFileReader {
    private static let states = ProductState.allCases.map { (key: $0.rawValue, value: $0) }
    private static let contentVersionCharactersMax = 32

    /// Reads Storebus's own members about when and where a product is sold.
    ///
    /// They are `state`, `clearedForSale`, `availableFrom`, `availability` and `hostedContent`.
    mutating func readConditions(_ node: JSONNode) -> SaleConditions {
        var conditions = SaleConditions.standard
        conditions.state = readState(node.member("state"))
        conditions.isClearedForSale = findings.flag(node.member("clearedForSale"), orElse: true)
        conditions.availableFrom = readInstant(node.member("availableFrom"))
        conditions.storefronts = readAvailability(node.member("availability"))
        conditions.hostedContent = readHostedContent(node.member("hostedContent"))
        return conditions
    }

    private mutating func readState(_ node: JSONNode) -> ProductState {
        guard !node.isAbsent else { return .approved }
        return findings.word(node, Self.states) ?? .approved
    }

    private mutating func readInstant(_ node: JSONNode) -> Timestamp? {
        guard !node.isAbsent else { return nil }
        guard let text = findings.text(node, atMost: 64) else { return nil }
        guard let instant = Timestamp(text) else {
            findings.refuse(node.path, "is '\(text)'; it must be an instant such as 2027-01-31T08:00:00Z")
            return nil
        }
        return instant
    }

    /// Reads a list of the only storefronts, or an object of exceptions: `{"CHN":false}` excludes one.
    private mutating func readAvailability(_ node: JSONNode) -> StorefrontSelection {
        switch node.value {
        case nil, .null: return .all
        case .array: return .only(readStorefronts(node))
        case .object: return .except(readExceptions(node))
        default:
            findings.refuse(
                node.path, node.mustBe("a list of storefronts, or an object of storefronts with true or false"))
            return .all
        }
    }

    private mutating func readStorefronts(_ list: JSONNode) -> Set<String> {
        var codes: Set<String> = []
        for node in findings.elements(list) {
            guard let code = findings.text(node, atMost: 64), storefront(code, at: node.path) != nil else { continue }
            if !codes.insert(code).inserted { findings.refuse(node.path, "is '\(code)', which the list has already") }
        }
        return codes
    }

    private mutating func readExceptions(_ object: JSONNode) -> Set<String> {
        var codes: Set<String> = []
        for (code, node) in object.members where storefront(code, at: node.path) != nil {
            guard let isAvailable = node.value?.boolValue else {
                findings.refuse(node.path, node.mustBe("true or false"))
                continue
            }
            if !isAvailable { codes.insert(code) }
        }
        return codes
    }

    private mutating func readHostedContent(_ node: JSONNode) -> DeclaredContent? {
        guard !node.isAbsent, findings.isObject(node) else { return nil }
        for (name, member) in node.members where !["version", "lengths"].contains(name) {
            findings.refuse(member.path, "is unknown", allowed: ["version", "lengths"])
        }
        let version = readContentVersion(node.member("version"))
        let list = node.member("lengths")
        if list.isAbsent { findings.refuse(list.path, list.mustBe("a list of lengths in bytes")) }
        let elements = findings.elements(list)
        if list.value?.arrayValue != nil, elements.count != 1 {
            findings.refuse(
                list.path,
                "has \(elements.count) lengths; it must have 1, because a product has one package: "
                    + "pack its files into one archive")
        }
        let lengths = elements.compactMap { findings.integer($0, in: 1...Int(ContentPartRequest.contentMax)) }
        guard let version, let length = lengths.first else { return nil }
        return DeclaredContent(version: version, length: Int64(length))
    }

    private mutating func readContentVersion(_ node: JSONNode) -> String? {
        guard let text = findings.text(node, atMost: Self.contentVersionCharactersMax) else { return nil }
        let numbers = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let isSound = numbers.allSatisfy {
            !$0.isEmpty && $0.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        }
        guard isSound else {
            findings.refuse(node.path, "is '\(text)'; it must be whole numbers with points between them, such as 1.0")
            return nil
        }
        return text
    }
}

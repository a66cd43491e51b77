import StoreModels

extension StoreKitFileReader {
    private static let states = ProductState.allCases.map { (key: $0.rawValue, value: $0) }
    private static let contentVersionCharactersMax = 32

    /// Reads Storebus's own members about when and where a product is sold.
    ///
    /// They are `state`, `clearedForSale`, `availableFrom`, `availability` and `hostedContent`.
    mutating func readConditions(_ place: JSONPlace) -> SaleConditions {
        var conditions = SaleConditions.standard
        conditions.state = readState(place.member("state"))
        conditions.isClearedForSale = findings.flag(place.member("clearedForSale"), orElse: true)
        conditions.availableFrom = readInstant(place.member("availableFrom"))
        conditions.storefronts = readAvailability(place.member("availability"))
        conditions.hostedContent = readHostedContent(place.member("hostedContent"))
        return conditions
    }

    private mutating func readState(_ place: JSONPlace) -> ProductState {
        guard !place.isAbsent else { return .approved }
        return findings.word(place, Self.states) ?? .approved
    }

    private mutating func readInstant(_ place: JSONPlace) -> Timestamp? {
        guard !place.isAbsent else { return nil }
        guard let text = findings.text(place, atMost: 64) else { return nil }
        guard let instant = Timestamp(text) else {
            findings.refuse(place.path, "is '\(text)'; it must be an instant such as 2027-01-31T08:00:00Z")
            return nil
        }
        return instant
    }

    /// Reads a list of the only storefronts, or an object of exceptions: `{"CHN":false}` excludes one.
    private mutating func readAvailability(_ place: JSONPlace) -> StorefrontSelection {
        switch place.value {
        case nil, .null: return .all
        case .array: return .only(readStorefronts(place))
        case .object: return .except(readExceptions(place))
        default:
            findings.refuse(
                place.path, place.mustBe("a list of storefronts, or an object of storefronts with true or false"))
            return .all
        }
    }

    private mutating func readStorefronts(_ list: JSONPlace) -> Set<String> {
        var codes: Set<String> = []
        for place in findings.elements(list) {
            guard let code = findings.text(place, atMost: 64), storefront(code, at: place.path) != nil else { continue }
            if !codes.insert(code).inserted { findings.refuse(place.path, "is '\(code)', which the list has already") }
        }
        return codes
    }

    private mutating func readExceptions(_ object: JSONPlace) -> Set<String> {
        var codes: Set<String> = []
        for (code, place) in object.members where storefront(code, at: place.path) != nil {
            guard let isAvailable = place.value?.boolValue else {
                findings.refuse(place.path, place.mustBe("true or false"))
                continue
            }
            if !isAvailable { codes.insert(code) }
        }
        return codes
    }

    private mutating func readHostedContent(_ place: JSONPlace) -> DeclaredContent? {
        guard !place.isAbsent, findings.isObject(place) else { return nil }
        for (name, member) in place.members where !["version", "lengths"].contains(name) {
            findings.refuse(member.path, "is unknown", allowed: ["version", "lengths"])
        }
        let version = readContentVersion(place.member("version"))
        let list = place.member("lengths")
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

    private mutating func readContentVersion(_ place: JSONPlace) -> String? {
        guard let text = findings.text(place, atMost: Self.contentVersionCharactersMax) else { return nil }
        let numbers = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let isSound = numbers.allSatisfy {
            !$0.isEmpty && $0.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        }
        guard isSound else {
            findings.refuse(place.path, "is '\(text)'; it must be whole numbers with points between them, such as 1.0")
            return nil
        }
        return text
    }
}

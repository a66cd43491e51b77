import ArgumentParser
import StoreModels

/// `buy --offer …`: the offer a subscription shall be bought with.
enum WantedOffer: Hashable, Sendable {
    /// What every eligible customer is given anyway; asked for, nothing else is bought.
    case introductory
    /// Signed, in the app.
    case promotional(String)
    /// Redeemed outside the app, as the two are in the App Store.
    case code(String)
    case winBack(String)

    /// As they are written.
    static let words = ["intro", "promo:ID", "code:ID", "winback:ID"]

    init?(_ text: String) {
        let halves = text.split(separator: ":", maxSplits: 1).map(String.init)
        switch (halves.first, halves.count) {
        case ("intro", 1): self = .introductory
        case ("promo", 2): self = .promotional(halves[1])
        case ("code", 2): self = .code(halves[1])
        case ("winback", 2): self = .winBack(halves[1])
        default: return nil
        }
    }

    /// What the operator's purchase outside the app carries; nil for what is bought in the app.
    var redeemed: RedeemedOffer? {
        switch self {
        case .introductory, .promotional: nil
        case .code(let identifier): RedeemedOffer(type: .code, identifier: identifier)
        case .winBack(let identifier): RedeemedOffer(type: .winBack, identifier: identifier)
        }
    }

    /// As it was written.
    var text: String {
        switch self {
        case .introductory: "intro"
        case .promotional(let identifier): "promo:\(identifier)"
        case .code(let identifier): "code:\(identifier)"
        case .winBack(let identifier): "winback:\(identifier)"
        }
    }

    /// - Throws: a sentence for the parser.
    static func validate(_ text: String?, hasKey: Bool) throws {
        guard let text else {
            if hasKey { throw ValidationError("--offer-key belongs to --offer promo:ID") }
            return
        }
        guard let offer = WantedOffer(text) else {
            throw ValidationError("--offer is \(words.joined(separator: ", "))")
        }
        if case .promotional = offer {
            if !hasKey { throw ValidationError("a promotional offer is signed: --offer-key FILE") }
        } else if hasKey {
            throw ValidationError("--offer-key belongs to --offer promo:ID")
        }
    }
}

/// All routes of the HTTP API.
package enum StoreRoutes {
    /// In no particular order, but two endpoints of one route are side by side, as they are declared.
    package static let operations: [any HTTPOperation] = groups.flatMap { $0 }

    /// Each method and path once.
    package static let all: [HTTPRoute] = {
        var known: Set<HTTPRoute> = []
        return operations.map(\.route).filter { known.insert($0).inserted }
    }()
}

extension [Parameter] {
    /// The query of a list that comes in pages.
    static var page: [Parameter] { [.after, .limit] }
    /// The query of an operator's list that comes in pages.
    static var adminPage: [Parameter] { [.after, .adminLimit] }
}

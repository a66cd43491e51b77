import Persistence
import StoreModels

/// Conditions of an operator's list, joined by AND, with the values of their `?`.
///
/// They begin with the list's scope, so that a list of the installation never shows an isolated store's objects.
package struct OperatorFilter {
    package private(set) var arguments: [any SQLValueConvertible] = []
    private var conditions: [String] = []

    /// Creates the conditions of a list's scope and page.
    /// - Parameters:
    ///   - bundleId: The app, as services name it. Nil for all of the installation's apps.
    ///   - prefix: The name of the table with `bundle_id` in the query, and a dot.
    ///   - after: The `after` of the page before. Nil for the first page.
    ///   - key: The column of the list's order.
    package init(app bundleId: String?, _ prefix: String = "", after: String?, by key: String) {
        add("\(prefix)bundle_id = ?", bundleId)
        if bundleId == nil { conditions.append(IsolationScope.installation.condition(prefix).sql) }
        add("\(prefix)\(key) > ?", after)
    }

    /// Adds a condition with one `?`. Nil adds nothing.
    package mutating func add(_ condition: String, _ argument: (any SQLValueConvertible)?) {
        guard let argument else { return }
        conditions.append(condition)
        arguments.append(argument)
    }

    package var sql: String { conditions.joined(separator: " AND ") }
}

extension IsolationScope {
    /// SQL of the key of a row's scope, as ``key``.
    /// - Parameter prefix: The name of the table with `bundle_id` in the query, and a dot.
    package static func key(_ prefix: String) -> String {
        "CASE WHEN \(prefix)bundle_id LIKE '%@%' THEN \(prefix)bundle_id ELSE '' END"
    }

    /// A condition for the rows of the scope's apps, with the values of its `?`.
    /// - Parameter prefix: The name of the table with `bundle_id` in the query, and a dot.
    package func condition(_ prefix: String = "") -> (sql: String, arguments: [any SQLValueConvertible]) {
        // Names of isolated stores' apps have an `@`, and no client can name an app with one.
        guard let bundleId else { return ("\(prefix)bundle_id NOT LIKE '%@%'", []) }
        return ("\(prefix)bundle_id = ?", [bundleId])
    }
}

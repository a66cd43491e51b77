/// Which database a test runs on: what is promised of one is promised of the other.
///
/// ```swift
/// @Test(arguments: Engine.allCases) func `…`(_ engine: Engine) async throws
/// ```
package enum Engine: String, CaseIterable, Sendable, CustomStringConvertible {
    case sqlite
    case postgres

    package var description: String { rawValue }
}

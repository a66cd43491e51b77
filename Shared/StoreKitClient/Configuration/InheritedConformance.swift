/// Warns about optional methods that the library cannot call.
///
/// Without Objective-C, the optional methods of a protocol are resolved in the class that conforms: a method that only
/// a subclass declares is not found. The runtime does not list a class's methods, so the library warns about every such
/// subclass, once.
enum InheritedConformance {
    private static let named = LockedValue<Set<ObjectIdentifier>>([])

    /// - Parameters:
    ///   - role: The object's role in the warning: observer, delegate.
    ///   - conforms: Whether a class conforms to the protocol.
    static func warn(
        of object: AnyObject, as role: String, _ connection: StoreConnection?, conforms: (Any.Type) -> Bool
    ) {
        guard let conformer = conformer(above: object, conforms) else { return }
        let type: any AnyObject.Type = type(of: object)
        guard named.withLock({ $0.insert(ObjectIdentifier(type)).inserted }) else { return }
        StoreConnection.warn(
            "the \(role) \(type) inherits its conformance from \(conformer): optional methods that \(type) adds "
                + "are not called; declare them in \(conformer) and override them", connection)
    }

    /// - Returns: The highest superclass that conforms, or nil if the object's own class does so itself.
    private static func conformer(above object: AnyObject, _ conforms: (Any.Type) -> Bool) -> Any.Type? {
        var found: Any.Type?
        var mirror = Mirror(reflecting: object).superclassMirror
        while let ancestor = mirror, conforms(ancestor.subjectType) {
            found = ancestor.subjectType
            mirror = ancestor.superclassMirror
        }
        return found
    }
}

import StoreModels

/// Families: the operator makes them of an app's customers, who share their purchases.
package enum FamilyRoutes {
    /// Lists an app's families by name.
    package static let list = HTTPEndpoint<Empty, FamiliesPage>(
        "listFamilies", .get, "/admin/v1/apps/{bundleId}/families", .admin,
        parameters: .adminPage)
    /// Makes a family of one person, who organises it.
    ///
    /// The same request again changes nothing.
    package static let put = HTTPEndpoint<NewFamily, Family>(
        "putFamily", .put, "/admin/v1/apps/{bundleId}/families/{family}", .admin,
        errors: [.familyNotChanged, .outcomeUnknown])
    /// Ends a family. Its persons lose what the others shared with them.
    package static let end = HTTPEndpoint<Empty, NoContent>(
        "endFamily", .delete, "/admin/v1/apps/{bundleId}/families/{family}", .admin,
        errors: [.outcomeUnknown])
    /// Adds a person to a family, or changes what they share.
    ///
    /// A family has at most six persons, and a person is in one family. What the family shares is theirs with the
    /// response, or soon after it.
    package static let putMember = HTTPEndpoint<FamilySharing, Family>(
        "putFamilyMember", .put, "/admin/v1/apps/{bundleId}/families/{family}/members/{account}", .admin,
        isBodyOptional: true, errors: [.familyNotChanged, .outcomeUnknown])
    /// Takes a person out of a family. Nothing is shared with them or of them any more.
    package static let removeMember = HTTPEndpoint<Empty, Family>(
        "removeFamilyMember", .delete, "/admin/v1/apps/{bundleId}/families/{family}/members/{account}", .admin,
        errors: [.familyNotChanged, .outcomeUnknown])
}

/// The body of `PUT /admin/v1/apps/{bundleId}/families/{family}`: `{"organiser":"alice"}`.
package struct NewFamily: Hashable, Sendable, Codable {
    /// The account whose family it is, a customer of the app.
    package var organiser: String
}

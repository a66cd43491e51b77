/// The counts of a database since it was opened. `writes / commits` is the mean size of a group.
package struct DatabaseStatistics: Hashable, Sendable {
    /// Groups that reached the disk.
    package var commits = 0
    /// Requests in those groups.
    package var writes = 0
    /// Groups that failed as a whole.
    package var failedCommits = 0
    package var reads = 0
}

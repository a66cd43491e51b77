import Persistence
import StoreModels

/// The rows that a batch writes: one statement a table and kind, as far as each customer's order allows.
struct Changes: Sendable {
    private struct Group: Sendable {
        var batch: SQLBatch
        /// The number of rows that the statement must change, if all of its changes say so.
        var rowCount: Int?
        /// The rows that an UPDATE or DELETE has, since it may change a row once.
        var rows: Set<SQLValue> = []
    }

    private var groups: [Group] = []
    /// The groups of each statement, in their order.
    private var indexes: [ObjectIdentifier: [Int]] = [:]
    /// The last group of each customer.
    private var last: [CustomerReference: Int] = [:]
    /// The rows that nothing refers to, in the order of the decisions, so that they get positions in that order.
    private var logs: [SQLBatch] = []

    /// Adds a command's changes, in their order.
    /// - Parameter isFree: Whether they may come before earlier ones of the customer. Else they come behind them.
    mutating func append(_ changes: [SQLChange], of customer: CustomerReference, isFree: Bool = false) {
        let end = last[customer] ?? 0
        var index = isFree ? 0 : end
        for change in changes {
            index = self.index(for: change, from: index)
            groups[index].batch.append(change.values)
            if let count = change.rowCount { groups[index].rowCount? += count } else { groups[index].rowCount = nil }
            if let row = change.statement.rowIndex { groups[index].rows.insert(change.values[row]) }
        }
        last[customer] = max(index, end)
    }

    /// Adds rows of logs: journals, and events for apps' servers. They are written last.
    mutating func append(logs changes: [SQLChange]) {
        for change in changes {
            let index = logs.firstIndex { $0.statement === change.statement } ?? logs.count
            if index == logs.count { logs.append(SQLBatch(change.statement)) }
            logs[index].append(change.values)
        }
    }

    private mutating func index(for change: SQLChange, from first: Int) -> Int {
        let statement = change.statement
        let known = indexes[ObjectIdentifier(statement)] ?? []
        let free = known.first { index in
            guard index >= first, let row = statement.rowIndex else { return index >= first }
            return !groups[index].rows.contains(change.values[row])
        }
        if let free { return free }
        groups.append(Group(batch: SQLBatch(statement), rowCount: 0))
        indexes[ObjectIdentifier(statement), default: []].append(groups.count - 1)
        return groups.count - 1
    }

    /// Writes all rows. On PostgreSQL it waits for one round trip, or for none if no change must hit its row.
    /// - Throws: `conflict` when a row was not as its change requires, or as the engine answers.
    func write(in transaction: SQLTransaction) async throws(PersistenceError) {
        var started: [(batch: StartedBatch, rowCount: Int)] = []
        for group in groups {
            if let count = group.rowCount {
                started.append((try await transaction.start(group.batch), count))
            } else {
                try await transaction.send(group.batch)
            }
        }
        for rows in logs { try await transaction.send(rows) }
        for (batch, rowCount) in started where try await batch.changedCount() != rowCount {
            throw PersistenceError(.conflict, "a row was changed outside its customer's lock")
        }
    }
}

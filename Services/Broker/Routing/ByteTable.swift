import BusProtocol

/// A hash table from byte strings to values, looked up with borrowed bytes.
///
/// Lookups do not allocate memory. An entry keeps its slot number while it exists, so other data may refer to it. Later
/// entries reuse the slot's memory. An empty table owns no memory. Hashing is seeded per process, so that clients
/// cannot choose subjects that collide.
struct ByteTable<Value> {
    private struct Slot {
        var hash: Int
        var key: [UInt8]
        var value: Value?
    }

    private static var empty: Int32 { -1 }

    private var slots: [Slot] = []
    private var free: [Int32] = []
    /// The slot numbers, for linear probing. Their count is a power of two.
    private var index: [Int32] = []
    private(set) var count = 0

    /// Returns the slot of a key, or nil when the key is missing.
    func slot(of key: Span<UInt8>) -> Int? {
        if count == 0 { return nil }
        let hash = Self.hash(key)
        // Spans, because an array in a local variable would be retained with every lookup.
        let index = self.index.span
        let slots = self.slots.span
        var at = hash & (index.count - 1)
        while index[at] != Self.empty {
            let slot = Int(index[at])
            if slots[slot].hash == hash, slots[slot].key.span.isEqual(key) { return slot }
            at = (at + 1) & (index.count - 1)
        }
        return nil
    }

    /// The value of a key. Nil when the key is missing.
    subscript(_ key: Span<UInt8>) -> Value? { slot(of: key).flatMap { slots[$0].value } }

    /// The value in a used slot.
    subscript(slot slot: Int) -> Value {
        get {
            guard let value = slots[slot].value else { preconditionFailure("the slot is empty") }
            return value
        }
        set { slots[slot].value = newValue }
    }

    /// Returns the key of a slot.
    func key(ofSlot slot: Int) -> [UInt8] { slots[slot].key }

    /// Adds an entry for a missing key, and returns its slot.
    mutating func insert(_ key: Span<UInt8>, _ value: Value) -> Int {
        if (count + 1) * 2 > index.count { grow() }
        let hash = Self.hash(key)
        let slot = takeSlot(hash, key, value)
        place(Int32(slot), hash)
        count += 1
        return slot
    }

    /// Removes the entry in a slot.
    mutating func remove(slot: Int) {
        var hole = slots[slot].hash & (index.count - 1)
        while index[hole] != Int32(slot) { hole = (hole + 1) & (index.count - 1) }
        closeHole(hole)
        slots[slot].value = nil
        slots[slot].key.removeAll(keepingCapacity: true)
        free.append(Int32(slot))
        count -= 1
    }

    /// Removes all entries.
    mutating func removeAll() { self = ByteTable() }

    /// The used slots.
    var usedSlots: some Sequence<Int> { slots.indices.lazy.filter { slots[$0].value != nil } }

    private mutating func takeSlot(_ hash: Int, _ key: Span<UInt8>, _ value: Value) -> Int {
        if let slot = free.popLast().map(Int.init) {
            slots[slot].hash = hash
            slots[slot].key.append(key)
            slots[slot].value = value
            return slot
        }
        var copy: [UInt8] = []
        copy.append(key)
        slots.append(Slot(hash: hash, key: copy, value: value))
        return slots.count - 1
    }

    private mutating func place(_ slot: Int32, _ hash: Int) {
        var at = hash & (index.count - 1)
        while index[at] != Self.empty { at = (at + 1) & (index.count - 1) }
        index[at] = slot
    }

    /// Moves later entries of the probe sequence up, so that no tombstones are needed.
    private mutating func closeHole(_ start: Int) {
        var hole = start
        var at = start
        while true {
            at = (at + 1) & (index.count - 1)
            guard index[at] != Self.empty else { break }
            let home = slots[Int(index[at])].hash & (index.count - 1)
            let distanceFromHome = (at - home) & (index.count - 1)
            let distanceFromHole = (at - hole) & (index.count - 1)
            if distanceFromHome >= distanceFromHole {
                index[hole] = index[at]
                hole = at
            }
        }
        index[hole] = Self.empty
    }

    private mutating func grow() {
        index = Array(repeating: Self.empty, count: max(4, index.count * 2))
        for slot in slots.indices where slots[slot].value != nil { place(Int32(slot), slots[slot].hash) }
    }

    /// Hashes a key, eight bytes at a time. Each step is a folded product of two seeded words, as in wyhash.
    private static func hash(_ key: Span<UInt8>) -> Int {
        let seed = processSeed
        var state = seed ^ UInt64(truncatingIfNeeded: key.count)
        var at = 0
        while at + 8 <= key.count {
            state = fold(state ^ 0xA076_1D64_78BD_642F, seed ^ word(key, at))
            at += 8
        }
        var rest: UInt64 = 0
        if at < key.count, key.count >= 8 {
            // Some bytes count twice, which is harmless.
            rest = word(key, key.count - 8)
        } else {
            while at < key.count {
                rest = rest << 8 | UInt64(key[at])
                at += 1
            }
        }
        return Int(truncatingIfNeeded: fold(state ^ 0xE703_7ED1_A0B4_28DB, seed ^ rest))
    }

    private static func word(_ key: Span<UInt8>, _ at: Int) -> UInt64 {
        key.bytes.unsafeLoadUnaligned(fromByteOffset: at, as: UInt64.self)
    }

    private static func fold(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let product = left.multipliedFullWidth(by: right)
        return product.high ^ product.low
    }
}

/// The hash seed of all byte tables in this process.
private let processSeed = UInt64.random(in: 0 ... .max)

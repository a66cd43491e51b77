/// Bytes waiting to be written, in memory that libuv may be pointed at.
/// `[UInt8]` promises no stable address across calls, and a write in progress needs one.
struct OutputBuffer: ~Copyable {
    private var base: UnsafeMutableRawPointer?
    private var capacity = 0
    private(set) var count = 0

    deinit { base?.deallocate() }

    var isEmpty: Bool { count == 0 }

    /// The bytes, valid until the next mutation.
    var bytes: UnsafeMutableRawBufferPointer { .init(start: base, count: count) }

    /// Copies `source` to the end.
    mutating func append(_ source: UnsafeRawBufferPointer) {
        guard let from = source.baseAddress, source.count > 0 else { return }
        reserve(count + source.count)
        base!.advanced(by: count).copyMemory(from: from, byteCount: source.count)
        count += source.count
    }

    /// Empties the buffer. A block that has grown large is freed.
    mutating func clear() {
        count = 0
        if capacity > EventLoopLimits.keptOutputBytes {
            base?.deallocate()
            base = nil
            capacity = 0
        }
    }

    /// Removes bytes from the beginning. The rest moves, so callers take large pieces.
    mutating func removeFirst(_ removed: Int) {
        guard removed < count, let base else { return clear() }
        count -= removed
        base.copyMemory(from: base + removed, byteCount: count)
    }

    private mutating func reserve(_ needed: Int) {
        if needed <= capacity { return }
        let size = max(needed, capacity * 2, 4096)
        let grown = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
        if let base {
            grown.copyMemory(from: base, byteCount: count)
            base.deallocate()
        }
        base = grown
        capacity = size
    }
}

// Cooperative groups: the grid, the block, tiles of it, and lanes that happen to run together.
#pragma once
#pragma clang system_header
#include "cuda_runtime.h"

namespace cooperative_groups {

namespace wb {
WB_DEVICE unsigned lane() { return __nvvm_read_ptx_sreg_laneid(); }
WB_DEVICE unsigned lanes_below() { return __nvvm_read_ptx_sreg_lanemask_lt(); }
WB_DEVICE unsigned thread_in_block() {
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
WB_DEVICE unsigned threads_of_block() { return blockDim.x * blockDim.y * blockDim.z; }
WB_DEVICE unsigned long long block_in_grid() {
    return ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
}
WB_DEVICE unsigned long long blocks_of_grid() {
    return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
}

// The word that the driver gives to a cooperative launch; its address is in two of the driver's registers.
WB_DEVICE unsigned *grid_word() {
    unsigned high, low;
    asm volatile("mov.u32 %0, %%envreg1;" : "=r"(high));
    asm volatile("mov.u32 %0, %%envreg2;" : "=r"(low));
    const unsigned long long address = (unsigned long long)high << 32 | low;
    return address == 0 ? nullptr : (unsigned *)address + 1;
}
// One thread of each block counts it in. The last one takes all counts back and turns the highest bit, for which the others
// wait.
WB_DEVICE void sync_grid() {
    unsigned *const word = grid_word();
    if (word == nullptr) __trap();
    __syncthreads();
    if (thread_in_block() == 0) {
        const unsigned blocks = (unsigned)blocks_of_grid(), turn = 0x80000000;
        __threadfence();
        const unsigned before = atomicAdd(word, 1u);
        if ((before & ~turn) == blocks - 1) {
            atomicAdd(word, turn - blocks);
        } else {
            while (((*(volatile unsigned *)word ^ before) & turn) == 0) {
            }
        }
        __threadfence();
    }
    __syncthreads();
}

// A shuffle of any type whose values can be copied as words.
enum class way { from, up, down, across };
template <class T> WB_DEVICE T shuffled(way how, unsigned mask, T value, unsigned lane, int width) {
    constexpr int WORDS = (sizeof(T) + 3) / 4;
    unsigned words[WORDS] = {};
    __builtin_memcpy(words, &value, sizeof(T));
#pragma unroll
    for (int i = 0; i < WORDS; i++) {
        words[i] = how == way::from   ? __shfl_sync(mask, words[i], (int)lane, width)
                   : how == way::up   ? __shfl_up_sync(mask, words[i], lane, width)
                   : how == way::down ? __shfl_down_sync(mask, words[i], lane, width)
                                      : __shfl_xor_sync(mask, words[i], (int)lane, width);
    }
    __builtin_memcpy(&value, words, sizeof(T));
    return value;
}
} // namespace wb

// Some threads, of whatever group: what a function takes that works for all of them.
class thread_group {
  protected:
    unsigned mask_ = 0; // 0: the block
    unsigned size_ = 0, rank_ = 0;
    thread_group() = default;

  public:
    WB_MEMBER thread_group(unsigned mask, unsigned size, unsigned rank) : mask_(mask), size_(size), rank_(rank) {}
    WB_MEMBER unsigned long long size() const { return size_; }
    WB_MEMBER unsigned long long num_threads() const { return size_; }
    WB_MEMBER unsigned long long thread_rank() const { return rank_; }
    WB_MEMBER void sync() const {
        if (mask_ == 0) {
            __syncthreads();
        } else {
            __syncwarp(mask_);
        }
    }
    WB_MEMBER bool is_valid() const { return true; }
};

// All threads of the block.
class thread_block {
    thread_block() = default;
    friend WB_MEMBER thread_block this_thread_block();

  public:
    static constexpr unsigned _group_id = 0;
    static WB_MEMBER void sync() { __syncthreads(); }
    struct arrival_token {};
    static WB_MEMBER arrival_token barrier_arrive() {
        asm volatile("barrier.arrive 0, %0;" ::"r"(wb::threads_of_block()) : "memory");
        return {};
    }
    static WB_MEMBER unsigned size() { return wb::threads_of_block(); }
    static WB_MEMBER unsigned num_threads() { return size(); }
    static WB_MEMBER unsigned thread_rank() { return wb::thread_in_block(); }
    static WB_MEMBER dim3 group_index() { return blockIdx; }
    static WB_MEMBER dim3 thread_index() { return threadIdx; }
    static WB_MEMBER dim3 group_dim() { return blockDim; }
    static WB_MEMBER dim3 dim_threads() { return blockDim; }
    WB_MEMBER operator thread_group() const { return thread_group(0, size(), thread_rank()); }
};
__device__ __inline__ __attribute__((always_inline, nodebug)) thread_block this_thread_block() { return {}; }

// All blocks. `sync` wants a cooperative launch.
class grid_group {
    grid_group() = default;
    friend WB_MEMBER grid_group this_grid();

  public:
    static WB_MEMBER void sync() { wb::sync_grid(); }
    static WB_MEMBER bool is_valid() { return wb::grid_word() != nullptr; }
    static WB_MEMBER unsigned long long num_blocks() { return wb::blocks_of_grid(); }
    static WB_MEMBER unsigned long long block_rank() { return wb::block_in_grid(); }
    static WB_MEMBER dim3 dim_blocks() { return gridDim; }
    static WB_MEMBER dim3 group_dim() { return gridDim; }
    static WB_MEMBER dim3 block_index() { return blockIdx; }
    static WB_MEMBER unsigned long long num_threads() { return num_blocks() * wb::threads_of_block(); }
    static WB_MEMBER unsigned long long size() { return num_threads(); }
    static WB_MEMBER unsigned long long thread_rank() {
        return block_rank() * wb::threads_of_block() + wb::thread_in_block();
    }
};
__device__ __inline__ __attribute__((always_inline, nodebug)) grid_group this_grid() { return {}; }

// Lanes of one warp that run together.
class coalesced_group {
    unsigned mask_;
    friend WB_MEMBER coalesced_group coalesced_threads();

    // The lane of the warp that is the thread `rank` of the group.
    WB_MEMBER unsigned lane_of(unsigned rank) const {
        return mask_ == 0xffffffff ? rank : __fns(mask_, 0, (int)rank + 1);
    }
    unsigned meta_rank_ = 0, meta_size_ = 1;

  public:
    WB_MEMBER explicit coalesced_group(unsigned mask, unsigned meta_rank = 0, unsigned meta_size = 1)
        : mask_(mask), meta_rank_(meta_rank), meta_size_(meta_size) {}
    WB_MEMBER unsigned wb_mask() const { return mask_; }
    WB_MEMBER unsigned num_threads() const { return __popc(mask_); }
    WB_MEMBER unsigned size() const { return num_threads(); }
    WB_MEMBER unsigned thread_rank() const { return __popc(mask_ & wb::lanes_below()); }
    WB_MEMBER unsigned meta_group_rank() const { return meta_rank_; }
    WB_MEMBER unsigned meta_group_size() const { return meta_size_; }
    WB_MEMBER void sync() const { __syncwarp(mask_); }
    // A mask of lanes as a mask of the group's threads.
    WB_MEMBER unsigned wb_packed(unsigned lanes) const {
        unsigned packed = 0, count = 0;
        for (unsigned rest = mask_; rest != 0; rest &= rest - 1) {
            packed |= ((lanes >> (__ffs((int)rest) - 1)) & 1) << count++;
        }
        return packed;
    }
    WB_MEMBER int any(int predicate) const { return __ballot_sync(mask_, predicate) != 0; }
    WB_MEMBER int all(int predicate) const { return __ballot_sync(mask_, predicate) == mask_; }
    WB_MEMBER unsigned ballot(int predicate) const { return wb_packed(__ballot_sync(mask_, predicate)); }
    template <class T> WB_MEMBER unsigned match_any(T value) const { return wb_packed(__match_any_sync(mask_, value)); }
    template <class T> WB_MEMBER unsigned match_all(T value, int &all) const {
        return wb_packed(__match_all_sync(mask_, value, &all));
    }
    template <class T> WB_MEMBER T shfl(T value, unsigned rank) const {
        return wb::shuffled(wb::way::from, mask_, value, lane_of(rank), 32);
    }
    template <class T> WB_MEMBER T shfl_down(T value, unsigned distance) const {
        if (mask_ == 0xffffffff) return wb::shuffled(wb::way::down, mask_, value, distance, 32);
        const unsigned rank = thread_rank() + distance;
        return wb::shuffled(wb::way::from, mask_, value, rank < size() ? lane_of(rank) : wb::lane(), 32);
    }
    template <class T> WB_MEMBER T shfl_up(T value, unsigned distance) const {
        if (mask_ == 0xffffffff) return wb::shuffled(wb::way::up, mask_, value, distance, 32);
        const unsigned rank = thread_rank();
        return wb::shuffled(wb::way::from, mask_, value, rank >= distance ? lane_of(rank - distance) : wb::lane(), 32);
    }
    WB_MEMBER operator thread_group() const { return thread_group(mask_, size(), thread_rank()); }
};
__device__ __inline__ __attribute__((always_inline, nodebug)) coalesced_group coalesced_threads() {
    return coalesced_group(__activemask());
}

// A part of a block of SIZE threads, a power of two; up to 32 they lie in one warp.
template <unsigned SIZE, class Parent = void> class thread_block_tile {
    static_assert(SIZE >= 1 && SIZE <= 32 && (SIZE & (SIZE - 1)) == 0, "a tile has 1, 2, 4, 8, 16 or 32 threads");
    unsigned meta_rank_ = 0, meta_size_ = 0;

  public:
    thread_block_tile() = default;
    WB_MEMBER thread_block_tile(unsigned meta_rank, unsigned meta_size)
        : meta_rank_(meta_rank), meta_size_(meta_size) {}
    template <class Other>
    WB_MEMBER thread_block_tile(const thread_block_tile<SIZE, Other> &other)
        : meta_rank_(other.meta_group_rank()), meta_size_(other.meta_group_size()) {}
    WB_MEMBER unsigned wb_mask() const {
        if constexpr (SIZE == 32) {
            return 0xffffffff;
        } else {
            return ((1u << SIZE) - 1) << (wb::lane() & ~(SIZE - 1));
        }
    }
    static WB_MEMBER constexpr unsigned num_threads() { return SIZE; }
    static WB_MEMBER constexpr unsigned size() { return SIZE; }
    static WB_MEMBER unsigned thread_rank() { return wb::thread_in_block() & (SIZE - 1); }
    WB_MEMBER unsigned meta_group_rank() const { return meta_rank_; }
    WB_MEMBER unsigned meta_group_size() const { return meta_size_; }
    WB_MEMBER void sync() const { __syncwarp(wb_mask()); }
    WB_MEMBER unsigned wb_packed(unsigned lanes) const {
        return SIZE == 32 ? lanes : (lanes & wb_mask()) >> (wb::lane() & ~(SIZE - 1));
    }
    WB_MEMBER int any(int predicate) const { return __ballot_sync(wb_mask(), predicate) != 0; }
    WB_MEMBER int all(int predicate) const { return __ballot_sync(wb_mask(), predicate) == wb_mask(); }
    WB_MEMBER unsigned ballot(int predicate) const { return wb_packed(__ballot_sync(wb_mask(), predicate)); }
    template <class T> WB_MEMBER unsigned match_any(T value) const {
        return wb_packed(__match_any_sync(wb_mask(), value));
    }
    template <class T> WB_MEMBER unsigned match_all(T value, int &all) const {
        return wb_packed(__match_all_sync(wb_mask(), value, &all));
    }
    template <class T> WB_MEMBER T shfl(T value, int rank) const {
        return wb::shuffled(wb::way::from, wb_mask(), value, rank, SIZE);
    }
    template <class T> WB_MEMBER T shfl_down(T value, unsigned distance) const {
        return wb::shuffled(wb::way::down, wb_mask(), value, distance, SIZE);
    }
    template <class T> WB_MEMBER T shfl_up(T value, unsigned distance) const {
        return wb::shuffled(wb::way::up, wb_mask(), value, distance, SIZE);
    }
    template <class T> WB_MEMBER T shfl_xor(T value, unsigned mask) const {
        return wb::shuffled(wb::way::across, wb_mask(), value, mask, SIZE);
    }
    WB_MEMBER operator thread_group() const { return thread_group(wb_mask(), SIZE, thread_rank()); }
};

template <unsigned SIZE> WB_DEVICE thread_block_tile<SIZE, thread_block> tiled_partition(const thread_block &) {
    return {wb::thread_in_block() / SIZE, (wb::threads_of_block() + SIZE - 1) / SIZE};
}
template <unsigned SIZE, unsigned FROM, class Parent>
WB_DEVICE thread_block_tile<SIZE, thread_block_tile<FROM, Parent>>
tiled_partition(const thread_block_tile<FROM, Parent> &tile) {
    return {tile.thread_rank() / SIZE, FROM / SIZE};
}
WB_DEVICE coalesced_group tiled_partition(const coalesced_group &group, unsigned size) {
    unsigned mine = 0, count = 0;
    const unsigned first = group.thread_rank() / size * size;
    for (unsigned rest = group.wb_mask(); rest != 0; rest &= rest - 1, count++) {
        if (count >= first && count < first + size) mine |= rest & -rest;
    }
    return coalesced_group(mine, first / size, (group.size() + size - 1) / size);
}

// The threads of a group whose predicate or label is alike.
template <class Group> WB_DEVICE coalesced_group binary_partition(const Group &group, bool predicate) {
    const unsigned yes = __ballot_sync(group.wb_mask(), predicate);
    return predicate ? coalesced_group(yes, 0, 2) : coalesced_group(group.wb_mask() & ~yes, 1, 2);
}
template <class Group, class Label> WB_DEVICE coalesced_group labeled_partition(const Group &group, Label label) {
    // Groups are numbered by their labels' first lanes.
    const unsigned mine = __match_any_sync(group.wb_mask(), label);
    const unsigned leaders = __ballot_sync(group.wb_mask(), (mine & wb::lanes_below()) == 0);
    return coalesced_group(mine, __popc(leaders & ((mine & -mine) - 1)), __popc(leaders));
}

template <class Group> WB_DEVICE void sync(const Group &group) { group.sync(); }
WB_DEVICE void sync(const grid_group &grid) { grid.sync(); }
WB_DEVICE void sync(const thread_block &) { __syncthreads(); }

} // namespace cooperative_groups


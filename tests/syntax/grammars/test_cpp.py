"""C++: what is found in a sample."""

import pytest

from tests.syntax.grammars.reading import calls, chunk_lines, docs, imports, outline, read, read_broken, signatures

PATH = "src/queue.cpp"
SAMPLE = """// A queue that blocks.
#include <mutex>
#include "queue.hpp"

namespace work {

#define QUEUE_LIMIT 64
constexpr int kDepth = 8;

/// Tells how full a queue is.
enum class Level { Low, High = 3 };

template <typename T>
class Queue : public Base<T> {
 public:
  using value_type = T;
  explicit Queue(size_t limit);
  Queue() : limit_(1) {}
  ~Queue();

  /** Puts one in. */
  void push(T item);
  T& front() const { return *items_.begin(); }
  virtual bool empty() const = 0;
  bool operator==(const Queue& other) const;
  static Queue make();

 private:
  size_t limit_;
  std::vector<T> items_;
  T *head_ = nullptr;
  struct Node {
    Node* next;
  };
};

template <typename T>
void Queue<T>::push(T item) {
  std::lock_guard<std::mutex> guard(mutex_);
  items_.push_back(std::move(item));
  notify<T>(*this);
}

Pool::Pool(int size) : size_(size) { start(); }

Pool::~Pool() {}

bool Pool::operator<(const Pool& other) const { return size_ < other.size_; }

Worker* work::Pool::worker(int index) {
  Worker* made = new Worker(index);
  return made;
}

template <class T>
concept Sized = requires(T t) { t.size(); };

template <class T>
T largest(const T& a, const T& b) {
  auto later = [&](int x) { return pick(x); };
  return a < b ? b : a;
}

using Callback = std::function<void()>;
typedef struct { int x; } Point;

extern "C" {
int queue_count(void);
}

namespace {
int hidden() { return 1; }
}

}  // namespace work

int main() { work::Pool pool(3); return pool.run(); }
"""


@pytest.mark.slow
@pytest.mark.requirement("MOD.3")
def test_symbols() -> None:
    assert outline(read(PATH, SAMPLE)) == [
        "module work 5-75 +",
        "macro work.QUEUE_LIMIT 7-7 +",
        "variable work.kDepth 8-8 +",
        "enum work.Level 11-11 +",
        "constant work.Level.Low 11-11 +",
        "constant work.Level.High 11-11 +",
        "class work.Queue 13-35 +",
        "type work.Queue.value_type 16-16 +",
        "constructor work.Queue.Queue 17-17 +",
        "constructor work.Queue.Queue 18-18 +",
        "method work.Queue.~Queue 19-19 +",
        "method work.Queue.push 22-22 +",
        "method work.Queue.front 23-23 +",
        "method work.Queue.empty 24-24 +",
        "method work.Queue.operator== 25-25 +",
        "method work.Queue.make 26-26 +",
        "field work.Queue.limit_ 29-29",
        "field work.Queue.items_ 30-30",
        "field work.Queue.head_ 31-31",
        "struct work.Queue.Node 32-34 +",
        "field work.Queue.Node.next 33-33 +",
        "method work.Queue.push 37-42 +",
        "constructor work.Pool.Pool 44-44 +",
        "method work.Pool.~Pool 46-46 +",
        "method work.Pool.operator< 48-48 +",
        "method work.Pool.worker 50-53 +",
        "type work.Sized 55-56 +",
        "function work.largest 58-62 +",
        "type work.Callback 64-64 +",
        "struct work.Point 65-65 +",
        "field work.Point.x 65-65 +",
        "function work.queue_count 68-68 +",
        "function work.hidden 72-72",
        "function main 77-77 +",
    ]


@pytest.mark.slow
def test_signatures() -> None:
    found = signatures(read(PATH, SAMPLE))
    assert found["work.Queue"] == "class Queue : public Base<T>"
    assert found["work.Queue.front"] == "T& front() const"
    assert found["work.Queue.push"] == "void Queue<T>::push(T item)"
    assert found["work.Pool.Pool"] == "Pool::Pool(int size) : size_(size)"
    assert found["work.largest"] == "T largest(const T& a, const T& b)"


def test_docs() -> None:
    assert docs(read(PATH, SAMPLE)) == {
        "work.Level": "Tells how full a queue is.",
        "work.Level.Low": "Tells how full a queue is.",
        "work.Level.High": "Tells how full a queue is.",
        "work.Queue.push": "Puts one in.",
    }
    assert read(PATH, SAMPLE).top_comment == "A queue that blocks."


def test_imports() -> None:
    assert imports(read(PATH, SAMPLE)) == [("mutex", 2), ("queue.hpp", 3)]


def test_calls() -> None:
    assert calls(read(PATH, SAMPLE)) == [
        ("begin", 23, "work.Queue.front"),
        ("push_back", 40, "work.Queue.push"),
        ("move", 40, "work.Queue.push"),
        ("notify", 41, "work.Queue.push"),
        ("start", 44, "work.Pool.Pool"),
        ("Worker", 51, "work.Pool.worker"),
        ("size", 56, "work.Sized"),
        ("pick", 60, "work.largest"),
        ("run", 77, "main"),
    ]


def test_chunks_follow_definitions() -> None:
    assert chunk_lines(PATH, SAMPLE, 400) == [(1, 11), (13, 29), (30, 48), (50, 68), (69, 77)]


def test_broken_source_is_read() -> None:
    assert any(parsed.symbols for parsed in read_broken(PATH, SAMPLE))

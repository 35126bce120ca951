"""PHP: what is found in a sample."""

import pytest

from tests.syntax.grammars.reading import calls, chunk_lines, docs, imports, outline, read, read_broken, signatures

PATH = "src/Lease.php"
SAMPLE = r"""<?php

declare(strict_types=1);

// Leases for one writer at a time.

namespace Cairn\Store;

use Cairn\Clock;
use Cairn\Errors\{LeaseLost, LeaseTaken as Taken};
use function Cairn\Support\retry;

require_once __DIR__ . '/bootstrap.php';
require 'helpers.php';

const MAX_LEASES = 100;
define('LEASE_DEBUG', false);

/** Who may write. */
interface Holder extends \Countable
{
    public const KIND = 'holder';

    public function hold(string $what): bool;
}

trait Renews
{
    private int $renewals = 0;

    abstract protected function deadline(): int;
}

enum State: string
{
    case Held = 'held';
    case Stale = 'stale';

    public static function default(): self
    {
        return self::Held;
    }
}

/**
 * A lease that is renewed in the background.
 *
 * @template T
 */
#[Entity(table: 'leases')]
final class Lease extends Base implements Holder
{
    use Renews;

    private const PREFIX = 'lease-';
    public static int $count = 0;
    protected ?string $owner = null;

    public function __construct(private readonly string $name, int $ttl = 30)
    {
        parent::__construct();
        self::register($this);
    }

    // Milliseconds left.
    public function remaining(): int
    {
        return $this->deadline() - Clock::now();
    }

    #[Traced]
    private function renew(callable $work, int ...$times): ?Lease
    {
        $reply = $this->client?->send(new Request($this->name));
        $local = fn ($x) => convert($x);
        return array_map($local, $reply) ? new static($this->name) : null;
    }
}

function sweep(array $leases): int
{
    return count(array_filter($leases, 'is_stale'));
}

$handler = function (Lease $lease) {
    return $lease->remaining();
};
?>
<p>Leases: <?= sweep($all) ?></p>
"""


@pytest.mark.requirement("MOD.3")
def test_symbols() -> None:
    assert outline(read(PATH, SAMPLE)) == [
        "constant MAX_LEASES 16-16 +",
        "constant LEASE_DEBUG 17-17 +",
        "interface Holder 20-25 +",
        "constant Holder.KIND 22-22 +",
        "method Holder.hold 24-24 +",
        "trait Renews 27-32 +",
        "property Renews.renewals 29-29",
        "method Renews.deadline 31-31 +",
        "enum State 34-43 +",
        "constant State.Held 36-36 +",
        "constant State.Stale 37-37 +",
        "method State.default 39-42 +",
        "class Lease 50-78 +",
        "constant Lease.PREFIX 55-55",
        "property Lease.count 56-56 +",
        "property Lease.owner 57-57 +",
        "constructor Lease.__construct 59-63 +",
        "property Lease.name 59-59",
        "method Lease.remaining 66-69 +",
        "method Lease.renew 71-77",
        "function sweep 80-83 +",
        "function handler 85-87 +",
    ]


def test_signatures() -> None:
    found = signatures(read(PATH, SAMPLE))
    assert found["Lease"] == "#[Entity(table: 'leases')] final class Lease extends Base implements Holder"
    assert found["Lease.renew"] == "#[Traced] private function renew(callable $work, int ...$times): ?Lease"
    assert found["Holder.hold"] == "public function hold(string $what): bool;"
    assert found["sweep"] == "function sweep(array $leases): int"
    assert found["State.Held"] == "case Held = 'held';"


def test_docs() -> None:
    assert docs(read(PATH, SAMPLE)) == {
        "Holder": "Who may write.",
        "Lease": "A lease that is renewed in the background. @template T",
        "Lease.remaining": "Milliseconds left.",
    }
    assert read(PATH, SAMPLE).top_comment == "Leases for one writer at a time."


def test_imports() -> None:
    assert imports(read(PATH, SAMPLE)) == [
        ("Cairn\\Clock", 9),
        ("Cairn\\Errors", 10),
        ("Cairn\\Support\\retry", 11),
        ("__DIR__ . '/bootstrap.php'", 13),
        ("helpers.php", 14),
    ]


def test_an_import_under_another_name_is_one_import() -> None:
    source = '<?php\nuse A\\B as D;\nuse function A\\f as g;\ninclude "a.php";\nrequire ROOT . "/b.php";\n'
    assert imports(read(PATH, source)) == [("A\\B", 2), ("A\\f", 3), ("a.php", 4), ('ROOT . "/b.php"', 5)]


def test_calls() -> None:
    assert calls(read(PATH, SAMPLE)) == [
        ("define", 17, "LEASE_DEBUG"),
        ("__construct", 61, "Lease.__construct"),
        ("register", 62, "Lease.__construct"),
        ("deadline", 68, "Lease.remaining"),
        ("now", 68, "Lease.remaining"),
        ("send", 74, "Lease.renew"),
        ("Request", 74, "Lease.renew"),
        ("convert", 75, "Lease.renew"),
        ("array_map", 76, "Lease.renew"),
        ("static", 76, "Lease.renew"),
        ("count", 82, "sweep"),
        ("array_filter", 82, "sweep"),
        ("remaining", 86, "handler"),
        ("sweep", 89, ""),
    ]


def test_chunks_follow_definitions() -> None:
    assert chunk_lines(PATH, SAMPLE, 400) == [(1, 17), (19, 32), (34, 43), (45, 57), (59, 69), (71, 83), (85, 89)]


def test_broken_source_is_read() -> None:
    assert any(parsed.symbols for parsed in read_broken(PATH, SAMPLE))

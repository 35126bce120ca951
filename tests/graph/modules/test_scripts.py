"""Imports of Ruby, PHP and the languages with simple rules."""

import pytest

from cairn.graph.customs import Target
from tests.graph.modules.trees import NOTHING, found, guess, sure, tree

RUBY = tree(
    "lib/acme.rb lib/acme/redis.rb lib/acme/base.rb lib/acme/store/file.rb test/helper.rb app/models/user.rb"
) | {
    "lib/acme/base.rb": "require 'redis'\nrequire_relative 'store/file'\nrequire_relative(\"redis2\")\n",
    "lib/acme/redis2.rb": "",
}


@pytest.mark.parametrize(
    ("importer", "source", "expected"),
    [
        ("lib/acme.rb", "acme/base", sure("lib/acme/base.rb")),
        ("lib/acme/base.rb", "store/file", sure("lib/acme/store/file.rb")),
        ("lib/acme/base.rb", "redis2", sure("lib/acme/redis2.rb")),
        ("lib/acme/base.rb", "redis", guess("lib/acme/redis.rb")),
        ("lib/acme/store/file.rb", "../base", sure("lib/acme/base.rb")),
        ("test/a_test.rb", "acme", sure("lib/acme.rb")),
        ("lib/acme.rb", "helper", sure("test/helper.rb")),
        ("test/a_test.rb", "models/user", guess("app/models/user.rb")),
        ("lib/acme.rb", "user", NOTHING),
        ("lib/acme.rb", "acme/base.rb", sure("lib/acme/base.rb")),
        ("lib/acme.rb", "../../x", NOTHING),
        ("lib/acme.rb", "json", NOTHING),
    ],
)
def test_ruby(importer: str, source: str, expected: Target) -> None:
    assert found(RUBY, "ruby", importer, source) == expected


PHP = tree(
    "src/Http/Client.php src/Http/Server.php src/App.php tests/AppTest.php inc/setup.php",
    "inc/sub/setup.php legacy/Old/Thing.php",
) | {
    "composer.json": '{"autoload": {"psr-4": {"Acme\\\\": "src/", "Bad\\\\": 3, "Up\\\\": "../.."}},'
    ' "autoload-dev": {"psr-4": {"Acme\\\\Tests\\\\": ["none/", "tests/"]}}}'
}


@pytest.mark.parametrize(
    ("importer", "source", "expected"),
    [
        ("index.php", "Acme\\Http\\Client", sure("src/Http/Client.php")),
        ("index.php", "\\Acme\\App", sure("src/App.php")),
        ("index.php", "Acme\\Tests\\AppTest", sure("tests/AppTest.php")),
        ("index.php", "Acme\\Http", guess("src/Http/Client.php src/Http/Server.php")),
        ("index.php", "Vendor\\Old\\Thing", guess("legacy/Old/Thing.php")),
        ("index.php", "Symfony\\Yaml", NOTHING),
        ("index.php", "Bad\\X", NOTHING),
        ("index.php", "Up\\X", NOTHING),
        ("index.php", "App", NOTHING),
        ("inc/a.php", "sub/setup.php", sure("inc/sub/setup.php")),
        ("inc/a.php", "/setup.php", guess("inc/setup.php inc/sub/setup.php")),
        ("inc/sub/a.php", "/../setup.php", sure("inc/setup.php")),
        ("inc/a.php", '__DIR__ . "/setup.php"', sure("inc/setup.php")),
        ("inc/sub/a.php", "dirname(__DIR__) . '/setup.php'", sure("inc/setup.php")),
        ("inc/sub/a.php", "dirname(dirname(__FILE__)).'/setup.php'", sure("inc/setup.php")),
        ("inc/a.php", "__DIR__ . '/App.php'", NOTHING),
        ("inc/a.php", "__DIR__ . 'setup.php'", NOTHING),
        ("src/a.php", "ROOT . '/App.php'", sure("src/App.php")),
        ("inc/a.php", "ROOT . '/setup.php'", guess("inc/setup.php inc/sub/setup.php")),
        ("inc/a.php", '__DIR__ . "/$name.php"', NOTHING),
        ("index.php", "sub/setup.php", guess("inc/sub/setup.php")),
        ("index.php", "../x.php", NOTHING),
    ],
)
def test_php(importer: str, source: str, expected: Target) -> None:
    assert found(PHP, "php", importer, source) == expected


OTHERS = tree(
    "lib/src/a.dart lib/b.dart bin/main.dart lua/acme/init.lua lua/acme/view.lua deep/x/only.lua",
    "lib/my_app/http_server.ex hs/src/Data/Thing.hs hs/src/Main.hs perl/lib/Acme/Tool.pm",
    "cs/Acme.Core/Models/User.cs cs/Acme.Core/Models/Role.cs cs/Acme.Core/Models/Sub/Deep.cs",
    "swift/Package.swift swift/Sources/Kit/A.swift swift/Sources/Kit/Deep/B.swift swift/Sources/App/main.swift",
    "css/main.scss css/_vars.scss css/parts/_index.scss sh/run.sh sh/lib/log.sh tf/mod/main.tf tf/mod/vars.tf",
    "tf/top.tf",
    "zig/main.zig zig/util/mem.zig web/index.html web/app.js make/Makefile make/rules.mk jl/main.jl jl/part.jl",
) | {"pubspec.yaml": "name: acme\nversion: 1\n"}


@pytest.mark.parametrize(
    ("language", "importer", "source", "expected"),
    [
        ("dart", "bin/main.dart", "package:acme/src/a.dart", sure("lib/src/a.dart")),
        ("dart", "bin/main.dart", "package:other/src/a.dart", NOTHING),
        ("dart", "lib/b.dart", "src/a.dart", sure("lib/src/a.dart")),
        ("dart", "lib/src/a.dart", "../b.dart", sure("lib/b.dart")),
        ("dart", "lib/b.dart", "dart:io", NOTHING),
        ("dart", "bin/main.dart", "package:acme/../../x", NOTHING),
        ("lua", "main.lua", "acme.view", sure("lua/acme/view.lua")),
        ("lua", "main.lua", "acme", sure("lua/acme/init.lua")),
        ("lua", "main.lua", "x.only", guess("deep/x/only.lua")),
        ("lua", "main.lua", "cjson", NOTHING),
        ("elixir", "lib/a.ex", "MyApp.HTTPServer", guess("lib/my_app/http_server.ex")),
        ("elixir", "lib/a.ex", "GenServer", NOTHING),
        ("haskell", "hs/src/Main.hs", "Data.Thing", sure("hs/src/Data/Thing.hs")),
        ("haskell", "hs/src/Main.hs", "Data.List", NOTHING),
        ("perl", "bin/x.pl", "Acme::Tool", sure("perl/lib/Acme/Tool.pm")),
        ("csharp", "cs/P.cs", "Acme.Core.Models", guess("cs/Acme.Core/Models/Role.cs cs/Acme.Core/Models/User.cs")),
        ("csharp", "cs/P.cs", "Acme.Core.Models.User", guess("cs/Acme.Core/Models/User.cs")),
        ("csharp", "cs/P.cs", "System.Linq", NOTHING),
        (
            "swift",
            "swift/Sources/App/main.swift",
            "Kit",
            sure("swift/Sources/Kit/A.swift swift/Sources/Kit/Deep/B.swift"),
        ),
        ("swift", "swift/Sources/App/main.swift", "Foundation", NOTHING),
        ("css", "css/main.scss", "vars", sure("css/_vars.scss")),
        ("css", "css/main.scss", "parts", sure("css/parts/_index.scss")),
        ("css", "css/main.scss", "https://x.org/a.css", NOTHING),
        ("bash", "sh/run.sh", "./lib/log.sh", sure("sh/lib/log.sh")),
        ("bash", "sh/run.sh", "${DIR}/lib/log.sh", guess("sh/lib/log.sh")),
        ("bash", "sh/run.sh", "/etc/profile", NOTHING),
        ("hcl", "tf/top.tf", "./mod", sure("tf/mod/main.tf tf/mod/vars.tf")),
        ("hcl", "tf/top.tf", "hashicorp/consul/aws", NOTHING),
        ("zig", "zig/main.zig", "util/mem.zig", sure("zig/util/mem.zig")),
        ("zig", "zig/main.zig", "std", NOTHING),
        ("html", "web/index.html", "app.js?v=1", sure("web/app.js")),
        ("html", "web/index.html", "//cdn.org/app.js", NOTHING),
        ("make", "make/Makefile", "rules.mk", sure("make/rules.mk")),
        ("julia", "jl/main.jl", "part.jl", sure("jl/part.jl")),
        ("cobol", "a.cbl", "b", NOTHING),
    ],
)
def test_others(language: str, importer: str, source: str, expected: Target) -> None:
    assert found(OTHERS, language, importer, source) == expected

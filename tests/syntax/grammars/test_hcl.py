"""HCL: what is found in a sample."""

import pytest

from tests.syntax.grammars.reading import calls, chunk_lines, docs, imports, outline, read, read_broken, signatures

PATH = "main.tf"
SAMPLE = """# The network of the shop.
terraform {
  required_version = ">= 1.5"
  required_providers {
    aws = {
      source = "hashicorp/aws"
    }
  }
}

variable "region" {
  type    = string
  default = "eu-west-1"
}

locals {
  tags = { team = "shop" }
  name = lower("Shop-${var.region}")
}

# Where everything runs.
resource "aws_vpc" "main" {
  cidr_block = cidrsubnet("10.0.0.0/8", 8, 1)
  tags       = local.tags

  timeouts {
    create = "5m"
  }
}

data "aws_ami" "linux" {
  most_recent = true
}

module "database" {
  source = "./modules/database"
  vpc_id = aws_vpc.main.id
}

output "vpc_id" {
  value = aws_vpc.main.id
}

provider "aws" {
  region = var.region
}
"""


@pytest.mark.requirement("MOD.3")
def test_symbols() -> None:
    assert outline(read(PATH, SAMPLE)) == [
        "key terraform 2-9 +",
        "variable region 11-14 +",
        "variable tags 17-17 +",
        "variable name 18-18 +",
        "key aws_vpc.main 22-29 +",
        "key aws_ami.linux 31-33 +",
        "module database 35-38 +",
        "variable vpc_id 40-42 +",
        "key aws 44-46 +",
    ]


def test_signatures() -> None:
    found = signatures(read(PATH, SAMPLE))
    assert found["aws_vpc.main"] == 'resource "aws_vpc" "main"'
    assert found["region"] == 'variable "region"'


def test_docs() -> None:
    assert docs(read(PATH, SAMPLE)) == {
        "terraform": "The network of the shop.",
        "aws_vpc.main": "Where everything runs.",
    }
    assert read(PATH, SAMPLE).top_comment == "The network of the shop."


def test_imports() -> None:
    assert imports(read(PATH, SAMPLE)) == [("./modules/database", 36)]


def test_calls() -> None:
    assert calls(read(PATH, SAMPLE)) == [("lower", 18, "name"), ("cidrsubnet", 23, "aws_vpc.main")]


def test_chunks_follow_definitions() -> None:
    assert chunk_lines(PATH, SAMPLE, 250) == [(1, 17), (18, 29), (31, 46)]


def test_broken_source_is_read() -> None:
    assert any(parsed.symbols for parsed in read_broken(PATH, SAMPLE))

"""Objective-C: what is found in a sample."""

import pytest

from tests.syntax.grammars.reading import calls, chunk_lines, docs, imports, outline, read, read_broken, signatures

PATH = "Player.m"
SAMPLE = """// Plays sounds.
#import <Foundation/Foundation.h>
#import "Player.h"
@import AVFoundation;

#define MAX_VOLUME 11

NSString *const PlayerErrorDomain = @"player";
static NSInteger liveCount = 0;

typedef NS_ENUM(NSInteger, PlayerState) {
    PlayerStateIdle,
    PlayerStatePlaying,
};

typedef void (^PlayerBlock)(NSError *error);

/// Hears about changes.
@protocol PlayerDelegate <NSObject>
- (void)playerDidFinish:(Player *)player;
@end

@interface Player : NSObject <NSCopying>
@property (nonatomic, copy) NSString *name;
- (instancetype)initWithURL:(NSURL *)url volume:(float)volume;
+ (Player *)shared;
@end

@interface Player ()
@property (nonatomic) BOOL ready;
@end

@implementation Player {
    int _count;
}

/// Starts with an address.
- (instancetype)initWithURL:(NSURL *)url volume:(float)volume {
    self = [super init];
    [self loadURL:url options:nil];
    NSLog(@"made %@", url);
    return self;
}

+ (Player *)shared {
    return [[Player alloc] init];
}

- (void)stop {
    liveCount--;
}

@end

@implementation Player (Fading)
- (void)fadeOut { [self stop]; }
@end

static int clampVolume(int volume) {
    return volume > MAX_VOLUME ? MAX_VOLUME : volume;
}
"""


@pytest.mark.slow
@pytest.mark.requirement("MOD.3")
def test_symbols() -> None:
    assert outline(read(PATH, SAMPLE)) == [
        "macro MAX_VOLUME 6-6 +",
        "variable PlayerErrorDomain 8-8 +",
        "variable liveCount 9-9",
        "enum PlayerState 11-14 +",
        "type PlayerBlock 16-16 +",
        "interface PlayerDelegate 19-21 +",
        "method PlayerDelegate.playerDidFinish 20-20 +",
        "class Player 23-27 +",
        "property Player.name 24-24 +",
        "method Player.initWithURL 25-25 +",
        "method Player.shared 26-26 +",
        "property Player.ready 30-30 +",
        "class Player 33-53 +",
        "field Player._count 34-34 +",
        "method Player.initWithURL 38-43 +",
        "method Player.shared 45-47 +",
        "method Player.stop 49-51 +",
        "method Player.fadeOut 56-56 +",
        "function clampVolume 59-61",
    ]


@pytest.mark.slow
def test_signatures() -> None:
    found = signatures(read(PATH, SAMPLE))
    assert found["Player.name"] == "@property (nonatomic, copy) NSString *name;"
    assert found["Player.initWithURL"] == "- (instancetype)initWithURL:(NSURL *)url volume:(float)volume"
    assert found["clampVolume"] == "static int clampVolume(int volume)"
    assert found["PlayerBlock"] == "typedef void (^PlayerBlock)(NSError *error);"


def test_docs() -> None:
    assert docs(read(PATH, SAMPLE)) == {
        "PlayerDelegate": "Hears about changes.",
        "Player.initWithURL": "Starts with an address.",
    }
    assert read(PATH, SAMPLE).top_comment == "Plays sounds."


def test_imports() -> None:
    assert imports(read(PATH, SAMPLE)) == [("Foundation/Foundation.h", 2), ("Player.h", 3), ("AVFoundation", 4)]


def test_calls() -> None:
    assert calls(read(PATH, SAMPLE)) == [
        ("init", 39, "Player.initWithURL"),
        ("loadURL", 40, "Player.initWithURL"),
        ("NSLog", 41, "Player.initWithURL"),
        ("alloc", 46, "Player.shared"),
        ("init", 46, "Player.shared"),
        ("stop", 56, "Player.fadeOut"),
    ]


def test_chunks_follow_definitions() -> None:
    assert chunk_lines(PATH, SAMPLE, 400) == [(1, 16), (18, 31), (33, 53), (55, 61)]


def test_broken_source_is_read() -> None:
    assert any(parsed.symbols for parsed in read_broken(PATH, SAMPLE))

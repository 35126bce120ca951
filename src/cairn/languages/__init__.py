"""One module a language, with a LANGUAGE in it: adding a language is adding one.

A language is found by its name (`objective-c` in `objective_c`), and loaded when it is first asked for.
"""

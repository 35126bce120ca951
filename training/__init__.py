"""Make a static model for code search from code of one's own; see docs/model.md.

The steps, each a module: pairs of text and code are mined from trees (`pairs`), a vocabulary is found
or taken from a base model (`vocabulary`), texts become bags of tokens (`bags`), a table of vectors is
trained so that a text is near its code and far from other code (`contrast`), and the table is
reduced, quantised and written (`model_file`).
"""

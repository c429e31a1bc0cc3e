"""Where does it go? The page, and the words for its answers.

Begin with `views`. `question` is the question in the address, `choices` and `default_question` help to ask it; `answer`
has all that the page shows. With it come the `findings_on_path`, remedies (`mending`), the answer before a draft
(`draft_change`) and `contradictions` of the documents. The picture: `graph_builder` makes a `graph` without
coordinates, `path_layout` lays it out by `box_metrics` and `path_text`, and `drawing` draws it as a `picture`, with the
`return_path` below.
"""

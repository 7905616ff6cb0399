"""What environments are made from: drawing below the rules, never beside or above them.

============  =============================================================================================
``palette``   the house's colours and how they blend: pictures are palette indices
``masks``     shapes and text as coverage masks, rasterised once and cached
``canvas``    where a picture and its scene are made together
``sprites``   drawings that several worlds show
``grid``      boards: tiles, drawing, captions, paths, symmetries
``bits``      boards as sets of cells in one number: fast floods
``rooms``     boards divided into rooms by walls with passages
``headings``  boards whose rows and columns have names, so that a reply can name a cell
``graphs``    drawn graphs: lattice layouts, captions, shortest paths
``captions``  the forms in which a caption names things at cells, and their reader
``parts``     questions of several parts that count together
``chance``    the random key of a stochastic world
``splits``    the redraw loop that gives every problem to one split
``events``    the vocabulary of what may happen
============  =============================================================================================

To add a sprite, add a mask or a tile; to add an event, see ``events`` first: an event that serves one environment
only is none. Nothing here knows an environment.
"""
